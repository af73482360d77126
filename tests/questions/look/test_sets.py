"""A column of sets, such as language pairs, in which the names of items begin anew, is told as one."""

import re
import shlex

import numpy as np
import pytest


@pytest.mark.parametrize("item", ["seg_id", "segment", "item"])
def test_language_pairs_are_sets_and_segments_their_items(command, tmp_path, monkeypatch, item):
    """Three pairs of twenty segments are 60 items, none a repeat; each command that is printed answers."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(1)
    rows = [f"lp,system,{item},human,bleu,comet"]
    for pair in ("en-de", "zh-en", "ja-en"):
        for place, system in enumerate("ABCDE"):
            for segment in range(20):
                human = draw.normal(place)
                rows.append(f"{pair},{system},{segment},{human:.3f},{human + draw.normal():.3f},{human:.2f}1")
    (tmp_path / "x.csv").write_text("\n".join(rows) + "\n")
    told = command("look", "x.csv").out
    assert "5 systems, 60 items, 3 metrics" in told
    assert "--repeat-column" not in told
    lines = re.findall(r"^metaeval (.*)", told, re.MULTILINE)
    table, human = (next(line for line in lines if line.startswith(name)) for name in ("table", "human"))
    assert f"--item-column lp,{item}" in table
    assert f"--set-column lp --item-column {item}" in human
    assert command(*shlex.split(table)).code == 0
    ended = command(*shlex.split(human), "--resamples", "50")
    assert ended.code == 0
    assert "average of 4 tasks" in ended.out
    assert "tasks, 15 systems" in ended.out
