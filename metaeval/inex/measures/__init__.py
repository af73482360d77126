"""Measures of focused retrieval: elements and passages, as INEX has them."""
