"""Results of benchmarks as their programs write them: one file a format, and one table of them all (formats.py)."""
