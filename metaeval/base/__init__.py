"""Names, numbers, checks, results and records that everything else stands on."""
