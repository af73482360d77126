"""Reviews of EvalScope, ``reviews/MODEL/BENCHMARK_SUBSET.jsonl``: samples, each with its scores by metric."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from metaeval.io.benchmarks.comparable import BenchmarkChoice, spoken
from metaeval.io.benchmarks.contents import Json
from metaeval.io.benchmarks.parts import File, Part, name_in, own_system

_SCORED, _SCORE, _VALUES, _GROUP, _ITEM = "sample_score", "score", "value", "group_id", "index"
_ASKED = "input"
_CHOICES, _REVIEW, _RESULT = "choices", "review", "result"
_OLDER = frozenset({_CHOICES, "reviewed", "review_id"})


def holds_evalscope(json: Json) -> bool:
    """Whether these are reviews of samples, of version 1 or of an older one."""
    scored = json.first.get(_SCORED)
    is_newer = _ITEM in json.first and isinstance(scored, dict) and isinstance(scored.get(_SCORE), dict)
    return is_newer or json.first.keys() >= _OLDER


def slim_evalscope(json: Json) -> None:
    """Forget what was asked and answered."""
    json.keep({_SCORED, _ITEM, _ASKED, *_OLDER, "model"})
    records: Sequence[Any] = json.records
    for record in records:
        if _ASKED in record:
            record[_ASKED] = spoken(record[_ASKED])


def parts_of_evalscope(files: Sequence[File[Json]], choice: BenchmarkChoice) -> tuple[list[Part], list[str]]:
    """Read reviews: a system the folder of a model, an item a sample of a benchmark, a repeat a sample of one group."""
    return choice.kept([_part(file) for file in files]), []


def _part(file: File[Json]) -> Part:
    json, path = file.held, Path(file.source.path)
    called = json.first.get("model")
    model = called if isinstance(called, str) and called else path.resolve().parent.name
    task, n_of, topics, repeats = path.name.partition(".jsonl")[0], Counter[str](), list[str](), list[str]()
    for at, record in enumerate(json.records):
        scored = record.get(_SCORED)
        group = scored.get(_GROUP) if isinstance(scored, dict) else None
        item = name_in(json, record.get(_ITEM, at) if group is None else group, "sample", at=at, key=_ITEM)
        n_of[item] += 1
        topics.append(f"{task}/{item}")
        repeats.append(str(n_of[item]))
    return Part(
        path=json.label,
        system=own_system(file.source, model),
        topics=topics,
        values=[_scores_of(json, record, at) for at, record in enumerate(json.records)],
        place=lambda at, metric: (json.line(at), f"{_SCORED}.{_SCORE}.{_VALUES}" + f".{metric}" * bool(metric)),
        repeats=repeats,
        clusters=[task] * len(topics),
        asked=[record.get(_ASKED) for record in json.records],
    )


def _scores_of(json: Json, record: Mapping[str, Any], at: int) -> Mapping[str, Any]:
    """Return metric to score: of older versions what the review of the first answer results in."""
    scores: Any = record.get(_SCORED)
    if _CHOICES in record:
        answers = record[_CHOICES]
        first = answers[0] if isinstance(answers, list) and answers else None
        review = first.get(_REVIEW) if isinstance(first, dict) else None
        result = review.get(_RESULT) if isinstance(review, dict) else None
        scores = {_SCORE: {_VALUES: result if isinstance(result, dict) else {_RESULT: result}}} if review else None
    for name in (_SCORE, _VALUES):
        scores = scores.get(name) if isinstance(scores, dict) else None
    if not isinstance(scores, dict):
        json.refuse("a sample has an object of scores by metric", at=at, key=f"{_SCORED}.{_SCORE}.{_VALUES}")
    return {metric: float(score) if isinstance(score, bool) else score for metric, score in scores.items()}
