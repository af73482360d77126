"""A simulated collection with judgments by subtopic: ``python examples/subtopics.py FOLDER``.

Writes runs and judgments in the form of the Web tracks' diversity task (topic, subtopic, document, grade). A run knows
more or less about relevance, and half of the runs also avoid what they have shown: run `q2-new-a` has quality 2, avoids
repetition and differs from `q2-new-b` and `q2-new-c` by chance alone.
"""

import sys
from pathlib import Path

import numpy as np

N_TOPICS, N_DOCUMENTS, N_SUBTOPICS, DEPTH = 50, 200, 5, 50
QUALITIES = {"q1": 0.6, "q2": 0.9, "q3": 1.2, "q4": 1.5}
TWINS = "abc"


def write_collection(folder: Path, *, n_topics: int = N_TOPICS, seed: int = 1) -> None:
    """Write `runs/` and `qrels.txt`."""
    generator = np.random.default_rng(seed)
    runs: dict[str, list[str]] = {}
    qrels: list[str] = []
    popularity = 1 / np.arange(1, N_SUBTOPICS + 1)
    for topic in map(str, range(1, n_topics + 1)):
        about = generator.random((N_DOCUMENTS, N_SUBTOPICS)) < 0.12 * popularity
        about[:N_SUBTOPICS] |= np.eye(N_SUBTOPICS, dtype=bool)
        grades = about * generator.integers(1, 3, about.shape)
        relevance = about.any(axis=1) + 0.5 * (about.sum(axis=1) > 1)
        pool: set[int] = set()
        for quality, strength in QUALITIES.items():
            for style in ("old", "new"):
                for twin in TWINS:
                    score = strength * relevance + generator.normal(size=N_DOCUMENTS)
                    order = _without_repeats(score, about) if style == "new" else np.argsort(-score)
                    lines = [
                        f"{topic} Q0 d{document:03} {rank} {DEPTH - rank} {quality}-{style}-{twin}"
                        for rank, document in enumerate(order[:DEPTH].tolist(), start=1)
                    ]
                    runs.setdefault(f"{quality}-{style}-{twin}", []).extend(lines)
                    pool.update(order[:20].tolist())
        qrels += [
            f"{topic} {subtopic + 1} d{document:03} {grades[document, subtopic]}"
            for document in sorted(pool)
            for subtopic in range(N_SUBTOPICS)
        ]
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    (folder / "qrels.txt").write_text("\n".join(qrels) + "\n")
    for name, lines in runs.items():
        (folder / "runs" / f"{name}.run").write_text("\n".join(lines) + "\n")


def _without_repeats(score: np.ndarray, about: np.ndarray) -> np.ndarray:
    """Take the best document next, each subtopic that was shown before costing a tenth of a point."""
    left, shown, order = score.copy(), np.zeros(about.shape[1]), []
    for _ in range(DEPTH):
        best = int(np.argmax(left - about @ np.minimum(shown, 3) / 10))
        order.append(best)
        shown += about[best]
        left[best] = -np.inf
    return np.array(order)


if __name__ == "__main__":
    write_collection(Path(sys.argv[1]))
