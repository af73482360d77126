"""The level of an interval is written as it was asked for."""

import re

import every
import pytest

from metaeval.questions.boards.study import study_boards
from metaeval.questions.boards.study_decided import study_settled
from metaeval.questions.table.study import study_table
from metaeval.questions.votes.study import study_votes


@pytest.mark.parametrize("study", [study_boards, study_settled, study_votes, study_table])
def test_intervals_hold_at_one_less_alpha(study):
    """Every "90 % interval" of a page is one of those with alpha = 0.1, and there is one."""
    name = study.__name__
    made = every.EVERY[name].given(every.data(every.EVERY[name].of, "plain"))
    given = made if isinstance(made, tuple) else (made,)
    options = {"baseline": str(given[0]["system"].to_numpy()[0])} if study is study_table else {"rng": 0}
    report = study(*given, alpha=0.1, **options).report()
    shown = [*report.tables(), *report.pictures()]
    words = [f"{block.title} {block.caption}" for block in shown]
    words += [f"{column.label} {column.group}" for table in report.tables() for column in table.columns]
    assert set(re.findall(r"([\d.]+) % interval", " ".join(words))) == {"90"}
