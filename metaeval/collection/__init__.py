"""Runs and judgments of one test collection, compiled once."""
