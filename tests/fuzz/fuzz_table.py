"""The table of all readers under test, each with its odd spellings."""

from dataclasses import replace

import fuzz_benchmarks
import fuzz_binary
import fuzz_boards
import fuzz_inex
import fuzz_judged
import fuzz_memory
import fuzz_records
import fuzz_small
import fuzz_tables
import fuzz_trec
import fuzz_votes
from fuzz_benchmark_truths import SPELLINGS as OF_BENCHMARKS
from fuzz_truths import SPELLINGS

READERS = {
    reader.name: replace(reader, spell=reader.spell or ({**SPELLINGS, **OF_BENCHMARKS}).get(reader.name))
    for module in (
        fuzz_trec, fuzz_tables, fuzz_inex, fuzz_binary, fuzz_benchmarks, fuzz_small, fuzz_votes, fuzz_records,
        fuzz_memory, fuzz_boards, fuzz_judged,
    )
    for reader in module.READERS
}  # fmt: skip
