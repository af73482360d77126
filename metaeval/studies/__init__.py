"""One question each, the whole way from input to result."""
