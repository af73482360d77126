"""What a replicate proves: tests over all pairs of systems at once."""
