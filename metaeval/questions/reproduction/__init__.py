"""Is a replica of an experiment the same, or only alike? An original and its replica, from documents to effects."""
