"""The table of scores: labelled, recognised, checked, and its structure."""
