"""What is measured: the registry, quantisations and one file a measure."""
