"""The table of all readers under test."""

import fuzz_benchmarks
import fuzz_binary
import fuzz_inex
import fuzz_small
import fuzz_tables
import fuzz_trec

READERS = {
    reader.name: reader
    for module in (fuzz_trec, fuzz_tables, fuzz_inex, fuzz_binary, fuzz_benchmarks, fuzz_small)
    for reader in module.READERS
}
