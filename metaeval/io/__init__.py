"""Files into types and back: the only place that reads data."""
