"""Make a collection of the size the speed goals speak of: 110 runs x 250 topics x 1000 documents by default.

Usage: python benchmarks/make_large_collection.py FOLDER [--groups 22] [--runs 5] [--topics 250] [--depth 1000]

Takes some 1.2 GB of disk in full size. The same options and seed write the same bytes.
"""

import argparse
import time

from metaeval.simulate.collection import simulate_collection


def main() -> None:
    """Make the collection and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="a new folder")
    for name, default in (("groups", 22), ("runs", 5), ("topics", 250), ("depth", 1000), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    chosen = parser.parse_args()
    started = time.perf_counter()
    made = simulate_collection(
        n_groups=chosen.groups,
        runs_per_group=chosen.runs,
        n_topics=chosen.topics,
        n_documents=4 * chosen.depth,
        depth=chosen.depth,
        pool_depth=min(50, chosen.depth),
        rng=chosen.seed,
    )
    folder = made.write_collection(chosen.folder)
    print(
        f"{made.scores.size:,} lines in {len(made.systems)} runs over {len(made.topics)} topics, "
        f"{len(made.qrels):,} judgments, in {folder} ({time.perf_counter() - started:.0f} s)"
    )


if __name__ == "__main__":
    main()
