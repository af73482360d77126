"""How two rankings, or two sets of decisions, compare."""
