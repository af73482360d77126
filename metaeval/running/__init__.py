"""How work runs: random draws, compiled kernels, workers, progress, child processes."""
