"""`metaeval doctor` finds what is broken: versions that are too old, what is missing, workers that do not answer."""

import os
from importlib import metadata
from pathlib import Path

import pandas as pd
import pytest
from packaging.requirements import Requirement

import metaeval
from metaeval import __version__
from metaeval.base.provenance import record_provenance
from metaeval.questions.doctor import study as installation
from metaeval.questions.doctor.page import doctor_report
from metaeval.questions.doctor.study import examine_installation


@pytest.fixture(scope="module")
def found():
    """Look once, without workers, and with the kernel that this processor has by default: a forced one may fail."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OPENBLAS_CORETYPE", raising=False)
        return examine_installation(workers=False).set_index("part")


def test_the_version_is_that_of_the_distribution():
    """The package says its own version."""
    assert __version__ == metadata.version("metaeval")


def test_the_folder_is_that_of_the_package(found):
    """And not of a module in it, which may move."""
    assert found.loc["metaeval", "found"].endswith(f"in {Path(metaeval.__file__).parent}")


def test_every_required_package_is_there(found):
    """What the package asks for is looked at, and what only its developers need is not."""
    assert {"numpy", "scipy", "pandas", "statsmodels", "pymc", "arviz", "Compiled code", "Figures"} <= set(found.index)
    assert not {"pytest", "sphinx", "ruff"} & {name.split()[0] for name in found.index}
    assert set(found["state"]) <= {"fine", "absent"}


@pytest.mark.parametrize(
    ("pools", "words"),
    [
        ([], "none seen; numba: "),
        ([{"user_api": "blas", "internal_api": "openblas", "num_threads": 3}] * 2, "blas: openblas, 3 threads; n"),
    ],
)
def test_threads_are_those_of_the_pools_that_are_seen(monkeypatch, pools, words):
    """Each kind once; a machine without any says so."""
    monkeypatch.setattr("threadpoolctl.threadpool_info", lambda: pools)
    threads = next(one for one in installation._machine() if one.part == "Threads")
    assert threads.found.startswith(words)


def test_an_old_release_and_a_missing_one_are_broken(monkeypatch):
    """A required package that is too old or missing is named with the way out; an extra's may be missing."""
    known = metadata.version

    def version(name):
        if name in {"scipy", "nutpie"}:
            raise metadata.PackageNotFoundError(name)
        return "2.1.3" if name == "numpy" else known(name)

    monkeypatch.setattr(installation.metadata, "version", version)
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    found = examine_installation(workers=False).set_index("part")
    assert found.loc["numpy", "state"] == "broken"
    assert found.loc["numpy", "found"] == "2.1.3, and metaeval works beside >=2.2"
    assert found.loc["scipy", ["state", "advice"]].tolist() == ["broken", "pip install 'scipy>=1.15'"]
    assert found.loc["nutpie (extra sampler)", ["state", "advice"]].tolist() == [
        "absent",
        "pip install 'metaeval[sampler]'",
    ]
    report = doctor_report(found.reset_index(), provenance=record_provenance("doctor"))
    assert report.summary[0].startswith("2 parts of this installation are broken: numpy and scipy.")


@pytest.mark.parametrize(
    ("states", "answer"),
    [
        ("fine", "This installation is in order."),
        ("fine absent", "This installation is in order. 1 package of extras is not installed."),
        ("absent absent", "This installation is in order. 2 packages of extras are not installed."),
        ("broken absent", "1 part of this installation is broken: p0. 1 package of extras is not installed."),
    ],
)
def test_the_answer_counts_what_is_broken_and_absent(states, answer):
    """One is, several are."""
    rows = [(f"p{place}", state, "", "") for place, state in enumerate(states.split())]
    frame = pd.DataFrame(rows, columns=["part", "state", "found", "advice"])
    assert doctor_report(frame, provenance=record_provenance("doctor")).summary[0] == answer


@pytest.mark.parametrize(
    ("version", "limits", "state"),
    [
        ("2.2", ">=2.2", "fine"),
        ("2.2.0", ">=2.2", "fine"),
        ("2.10", ">=2.9", "fine"),
        ("1.9", ">=1.10", "broken"),
        ("3.0rc1", ">=3", "fine"),
        ("0.69.0rc1", ">=0.62,<0.69", "broken"),
        ("0.68.3", ">=0.62,<0.69", "fine"),
    ],
)
def test_releases_are_compared_as_numbers(monkeypatch, version, limits, state):
    """2.10 is newer than 2.9; what is tried before a release counts as that release."""
    monkeypatch.setattr(installation.metadata, "version", lambda _: version)
    assert installation._package(Requirement(f"numba{limits}"), "").state == state


def test_exact_products(found):
    """Those of whole numbers are exact, whatever the kernel; one process tried them all."""
    assert found.loc["Matrix products", ["state", "advice"]].tolist() == ["fine", ""]


@pytest.mark.parametrize(
    ("at", "instead", "words"),
    [
        ("exact = left @ right", "import os; os.abort()", "the process ended by SIGABRT: 3 x 3 by 3 x 3"),
        ("a @ b", "a @ b + (rows == 3)", "a wrong result: 3 x 3 by 3 x 3"),
        ("import numpy as np", "raise ImportError('no numpy')", "ImportError: no numpy: before the first product"),
    ],
)
@pytest.mark.parametrize("forced", [None, "Haswell"])
@pytest.mark.skipif(os.name != "posix", reason="signals have no names elsewhere")
def test_a_product_that_fails(monkeypatch, at, instead, words, forced):
    """A process that dies, or a wrong product, is found; with a forced kernel, that is what to undo."""
    monkeypatch.setattr(installation, "_PRODUCTS", installation._PRODUCTS.replace(at, instead))
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    if forced:
        monkeypatch.setenv("OPENBLAS_CORETYPE", forced)
    (found,) = installation._products()
    assert (found.state, found.found) == ("broken", words)
    assert found.advice.startswith("unset OPENBLAS_CORETYPE, which is Haswell" if forced else "let OPENBLAS_CORETYPE")


def test_workers_that_do_not_answer(monkeypatch):
    """An error of workers is a finding."""

    def fail(*_, **__):
        message = "no workers here"
        raise OSError(message)

    monkeypatch.setattr("metaeval.running.workers.parallel_map", fail)
    found = {one.part: one for one in installation._workers()}
    assert (found["Workers"].state, found["Workers"].found) == ("broken", "no workers here")
