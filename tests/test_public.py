"""What a user imports: a short list at the top, chapters below, and every result type public."""

import inspect
import re
import typing
from functools import cache
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

import metaeval
from metaeval.base import checks

SECTIONS = ["Parameters", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes", "References", "Examples"]
CHAPTERS = [name for name in metaeval.__all__ if inspect.ismodule(getattr(metaeval, name))]
TOP = [name for name in metaeval.__all__ if name not in CHAPTERS]


@cache
def public():
    """Every public name with what it stands for."""
    found = {name: getattr(metaeval, name) for name in TOP}
    for chapter in CHAPTERS:
        module = import_module(f"metaeval.{chapter}")
        found |= {name: getattr(module, name) for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    return found


def test_the_top_level_is_short():
    """About 50 names stand at the top; the rest is in chapters."""
    assert 40 <= len(TOP) <= 60
    assert {"agreement", "models", "reports", "resampling", "studies"} <= set(CHAPTERS)


def test_what_a_public_function_returns_is_public():
    """The class of every result can be imported from a chapter, for annotations and for isinstance."""
    known = {value.__name__ for value in public().values() if inspect.isclass(value)}
    for name in sorted(public()):
        thing = public()[name]
        members = vars(thing).items() if inspect.isclass(thing) else [(name, thing)]
        for function in (value for key, value in members if not key.startswith("_")):
            if not inspect.isfunction(function):
                continue
            annotation = inspect.signature(function).return_annotation
            written = annotation.__name__ if inspect.isclass(annotation) else str(annotation)
            module = import_module(inspect.unwrap(function).__module__)
            for word in re.findall(r"[A-Z]\w+", written):
                returned = annotation if inspect.isclass(annotation) else getattr(module, word, None)
                if inspect.isclass(returned) and returned.__module__.startswith("metaeval."):
                    assert returned.__name__ in known, f"{name} returns {returned.__name__}"


def test_reference_covers_every_public_name(checkout):
    """One page of the reference documents the module that defines the name."""
    sections = [
        section
        for page in (checkout / "docs" / "reference").glob("*.md")
        for section in re.findall(r"<!-- written: names (\S+) -->", page.read_text("utf-8"))
    ]
    for name, thing in public().items():
        module = f"{getattr(inspect.unwrap(thing), '__module__', 'metaeval.metrics.')}."
        assert sum(module.startswith(f"{section}.") for section in sections) == 1, name


def _described(name):
    """Return the docstring of a public name, or the one of its class for a constant."""
    return inspect.getdoc(public()[name]) or ""


def test_every_function_shows_itself_at_work(write_docs):
    """A public function has a runnable example, or notes where one would take long; a class says what it holds."""
    for name in sorted(public()):
        value = public()[name]
        if inspect.isroutine(value):
            assert re.search(r">>>|^Notes\n-----", _described(name), flags=re.MULTILINE), name
        elif inspect.isclass(value) and not issubclass(value, Exception) and not getattr(value, "_is_protocol", False):
            sections = re.search(r"^(Examples|Notes|Parameters)\n-+$", _described(name), flags=re.MULTILINE)
            properties = any(isinstance(member, property) for member in vars(value).values())
            assert sections or properties or any(write_docs.fields_of(value)), name


def test_every_function_says_what_it_returns():
    """A public function that returns something has a section about it, between its parameters and its errors."""
    for name, value in public().items():
        if inspect.isfunction(value) and inspect.signature(value).return_annotation not in {None, "None"}:
            sections = re.findall(r"^(\w[\w ]*)\n-+$", _described(name), flags=re.MULTILINE)
            assert {"Returns", "Yields"} & set(sections), name
            assert sections == sorted(sections, key=SECTIONS.index), name


def test_functions_take_data_first_and_options_by_keyword():
    """A public function has at most three positional parameters; everything to tune is keyword-only."""
    for name, value in public().items():
        if inspect.isroutine(value):
            kinds = [parameter.kind for parameter in inspect.signature(value).parameters.values()]
            assert kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) <= 3, name
            assert inspect.Parameter.VAR_KEYWORD not in kinds or typing.get_overloads(inspect.unwrap(value)), name


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_name_of_a_chapter_is_also_a_module_in_it(chapter):
    """What `from metaeval.models import X` gives would depend on what was imported before."""
    module = import_module(f"metaeval.{chapter}")
    modules = {path.stem for path in Path(module.__file__).parent.glob("*.py")}
    own = {name for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    assert not own & modules - {"score"}  # metaeval.metrics loads whole, so that its function stands first


@pytest.mark.parametrize("name", [name for name in TOP if inspect.isfunction(getattr(metaeval, name))])
def test_every_function_names_its_relatives(name):
    """Each docstring at the top says what else to look at, and that is there."""
    written = inspect.getdoc(getattr(metaeval, name)) or ""
    section = re.search(r"See Also\n--------\n((?:\S.*\n?)+)", written)
    assert section
    for one in re.findall(r"^metaeval\.[\w.]+", section[1], re.MULTILINE):
        module, _, what = one.rpartition(".")
        assert hasattr(import_module(module), what)


WRONG = {"a name": "runs", "a table": pd.DataFrame({"a": [1, 2]}), "a number": 5, "nothing": None}


@pytest.mark.parametrize("given", WRONG)
def test_other_data_than_a_function_works_on(given):
    """The name of a file for its content, and the like: an error of ours, or of a number or path that is none."""
    for name, function in public().items():
        asked = inspect.signature(function).parameters.values() if inspect.isfunction(function) else ()
        asked = [one for one in asked if one.default is one.empty and one.kind in {0, 1, 3}]
        if not asked:
            continue
        try:
            function(
                *(WRONG[given] for one in asked if one.kind != one.KEYWORD_ONLY),
                **{one.name: WRONG[given] for one in asked if one.kind == one.KEYWORD_ONLY},
            )
        except (ValueError, TypeError):  # of which are our own
            continue
        except (AttributeError, LookupError, OSError, RuntimeError) as error:
            pytest.fail(f"{name}: {type(error).__name__}: {error}")


def test_what_makes_the_right_data_is_there():
    """The advice of `check_kind` names what can be called."""
    ours = [way for way in checks._MADE_BY.values() if way.startswith("metaeval.")]
    assert len(ours) >= 8
    for way in ours:
        module, _, name = way.rpartition(".")
        assert callable(getattr(import_module(module), name)), way
