"""Can this metric be trusted? Discriminative power, error rates, topic counts and agreement of evaluation metrics."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
