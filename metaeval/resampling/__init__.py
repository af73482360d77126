"""Procedures that redraw topics, judgments or systems."""
