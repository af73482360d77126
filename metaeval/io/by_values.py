"""What columns hold by their values, where their names do not say it: sides and winners of votes, judges and labels."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, islice, permutations
from math import prod
from operator import eq
from typing import Literal, NamedTuple

from metaeval.base.columns import ITEMS, JUDGES, LABELS, MARKED_ERRORS, are_judges, first_called, is_answer, underscored
from metaeval.base.names import are_metrics, first_few, is_number
from metaeval.base.number_words import is_nearly_a_number
from metaeval.base.words import listed
from metaeval.errors import MetaevalError
from metaeval.io.any_sheets import any_sheet
from metaeval.io.sheets import Sheet, header_names
from metaeval.table.roles import PIECES, SPLITS, WITHIN_ITEMS, part_of_word, role_of_name, word_of
from metaeval.table.vote_cells import two_names
from metaeval.table.vote_columns import COLUMNS, vote_columns
from metaeval.table.vote_words import VERDICTS, is_negated, plain_word, says_who, tells_who

_MOST_ROWS, _MOST_COLUMNS, _FEWEST_ROWS = 1000, 12, 4
_LONGEST, _MOST_LABELS, _MOST_JUDGES, _TWO, _NAMED = 60, 11, 50, 2, 4
_SEVERAL = 1.5
"""How many labels an item has on average where several judges label it."""

_SIDES = {1.0: "left", 0.0: "right", 0.5: "tie"}

_APPEN, _GOLD = frozenset({"_unit_id", "_worker_id", "_trust"}), "_gold"
_KEY = ("system", "item", "repeat")

type Columns = Mapping[str, Sequence[str]]


class ByValues(NamedTuple):
    """What the columns of a table hold, and how a command is told so."""

    kind: Literal["votes", "labels", "scores"]
    columns: dict[str, str]
    """Part to column."""
    words: dict[str, str] = {}  # noqa: RUF012 - of a tuple, which nobody changes
    """What words for the winner mean, the names of sides in the header."""
    is_open: bool = False
    """Whether the column of winners may as well be that of losers, by its name."""

    @property
    def ways(self) -> str:
        """The ways to say so, where it is open who won and who lost."""
        more = f", and `words={self.words!r}`" if self.words else ""
        return (
            f"column {self.columns['winner']!r} names one side of each vote, and may say who won or who lost: either "
            f"`columns={self.columns!r}` (who won) or `columns={self.of_losers.columns!r}` (who lost){more}"
        )

    @property
    def of_losers(self) -> "ByValues":
        """The same with a column that says who lost where this says who won."""
        return self._replace(columns={{"winner": "loser"}.get(role, role): name for role, name in self.columns.items()})

    @property
    def of_whole_items(self) -> "ByValues":
        """The same where a set is part of what names an item."""
        if "set" not in self.columns:
            return self
        others = {role: name for role, name in self.columns.items() if role != "set"}
        return self._replace(columns=others | {"item": f"{self.columns['set']},{self.columns['item']}"})

    @property
    def options(self) -> str:
        """The options that say so, of `metaeval votes` or `metaeval judges`."""
        told = [(f"--{role}-column", name) for role, name in self.columns.items()]
        told += [("--word", f"{word}={side}") for word, side in self.words.items()]
        if self.kind == "labels":
            told = [("--column", f"{role}={name}") for role, name in self.columns.items()]
        return " ".join(f"{option} {shlex.quote(value)}" for option, value in told)


def votes_by_values(content: bytes, label: str) -> ByValues | None:
    r"""Find two columns of systems and one that says in every row which of them won or lost, or that none did.

    Examples
    --------
    >>> found = votes_by_values(b"first,second,better\na,b,first\nb,a,tie\na,c,second\nc,b,first\n", "x.csv")
    >>> found.options
    '--left-column first --right-column second --winner-column better'
    """
    columns = _columns(content, label)
    if _voters(columns):
        return None
    words = [name for name, cells in columns.items() if _are_words(cells) and part_of_word(name) in {None, "system"}]
    ranked: dict[tuple[bool, float], list[ByValues]] = {}
    pairs: dict[tuple[str, str], Sequence[Sequence[str]]]
    pairs = {(left, right): (columns[left], columns[right]) for left, right in combinations(words[:_MOST_COLUMNS], 2)}
    split = {name: [*filter(None, map(two_names, columns[name]))] for name in words}
    pairs |= {
        (name, name): tuple(zip(*cells, strict=True))
        for name, cells in split.items()
        if len(cells) == len(columns[name]) > 0
    }
    for (left, right), sides in pairs.items():
        names = ({*sides[0]}, {*sides[1]})
        if len(names[0] | names[1]) >= len(sides[0]) or any(map(eq, *sides)):
            continue  # every name stands in two rows or fewer, as texts of answers do
        for winner in (name for name in columns if name not in {left, right} and part_of_word(name) is None):
            if _are_options(columns[winner], columns):
                continue
            words_of = _words_of_sides(left, right)
            meant = {text: _meaning(text, words_of) for text in {*columns[winner]}}
            rows = zip(columns[winner], *sides, strict=True)
            shares = [float(text == a) if text in {a, b} else meant[text] for text, a, b in rows]
            if not {0.0, 1.0} <= {*shares} or None in shares:
                continue
            by_name = not names[0].union(names[1]).isdisjoint(columns[winner])
            alike = len(names[0] & names[1]) / len(names[0] | names[1])
            used = {
                text: _SIDES[share]
                for text, share in sorted(meant.items())
                if share is not None and plain_word(text) not in VERDICTS and text not in names[0] | names[1]
            }
            if not (by_name or alike or used or len(names[0]) == len(names[1]) == 1):
                continue  # words such as a and b may be names of anything else
            sides_said = [
                text for text, share in meant.items() if share in {0.0, 1.0} and text not in names[0] | names[1]
            ]
            who = "winner" if any(map(tells_who, sides_said)) else says_who(winner)  # "A is worse" is for B
            sides_and_winner = {"left": left, "right": right, who or "winner": winner}
            ranked.setdefault((by_name, alike), []).append(ByValues("votes", sides_and_winner, used, is_open=not who))
    best = ranked[max(ranked)] if ranked else []
    said = [how for how in best if "winner" in how.columns and not how.is_open]  # before who lost, and what is open
    said = said or [how for how in best if not how.is_open] or best
    return said[0] if len(said) == 1 else None


def _are_options(cells: Sequence[str], names: Iterable[str]) -> bool:
    """Whether a column says which of more than two others, by the ends of their names, holds an answer: A, B, C or D.

    Examples
    --------
    >>> _are_options([*"ACBD"], ["question", *"ABCD"]), _are_options([*"ABBA"], ["model_a", "model_b", "vote"])
    (True, False)
    """
    ends = {re.split(r"[\W_]+", name.casefold())[-1] for name in names}
    return len(ends & {*map(str.casefold, cells)}) > _TWO


def labels_by_values(content: bytes, label: str) -> ByValues | None:
    r"""Find columns of items, of judges who each say something of an item once, and of what they say.

    Examples
    --------
    >>> rows = "".join(f"p{item},{judge},{item % len(judge)}\n" for item in range(4) for judge in ("al", "ben"))
    >>> labels_by_values(f"passage no,person,said\n{rows}".encode(), "x.csv").options
    "--column 'item=passage no' --column judge=person --column label=said"
    """
    return labels_of_columns(_columns(content, label, forms=True))


def labels_of_columns(columns: Columns) -> ByValues | None:
    """Find the same in columns by name; see `labels_by_values`."""
    if {*map(underscored, columns)} == {"item", "judge", "label"}:
        return None  # names tell it
    if {*columns} >= _APPEN:
        return _of_appen(columns)
    if any(map(is_answer, columns)):  # of Mechanical Turk, whose other columns say how the work was done
        columns = {
            name: cells
            for name, cells in columns.items()
            if is_answer(name) or underscored(name) in {*LABELS["item"], *LABELS["judge"]}
        }
    ranks = {name for name in columns if role_of_name(name)[0] == "rank" and role_of_name(name)[1]}  # of systems
    names = [name for name in columns if all(columns[name]) and name not in ranks][:_MOST_COLUMNS]
    if any(_are_parts(cells) for cells in columns.values() if all(map(is_number, cells))):
        return None  # metrics beside what people said
    few = [name for name in names if len({*columns[name]}) <= _MOST_LABELS and not _are_parts(columns[name])]
    readings = [
        ByValues("labels", {"item": item, "judge": judge, "label": label_column})
        for item, judge in permutations(names, 2)
        if _judge_items(columns[item], columns[judge], called=underscored(judge) in JUDGES)
        and {*underscored(judge).split("_")}.isdisjoint(ITEMS["system"])
        and part_of_word(judge) != "system"
        for label_column in few
        if label_column not in {item, judge} and _differ_within(columns[item], columns[label_column])
    ]
    # Where judges may say something of an item again, those who do not go first.
    readings = [how for how in readings if _is_said_once(columns, how)] or readings
    for role in ("label", "judge", "item"):  # of several the one that is called so
        readings = [how for how in readings if underscored(how.columns[role]) in LABELS[role]] or readings
    if readings:
        answers = all(is_answer(how.columns["label"]) for how in readings)
        return readings[0] if len(readings) == 1 or answers else None
    items = [name for name in names if len({*columns[name]}) == len(columns[name])]
    if not items:
        return None
    item = items[first_called(items, LABELS["item"], underscored) or 0]
    judges = [name for name in columns if are_judges([name])]
    words = [{*columns[name]} for name in few if name != item and not any(map(is_number, columns[name]))]
    alike = len(words) > 1 and not any(first.isdisjoint(second) for first, second in combinations(words, 2))
    alike = alike or _are_grades_with_gaps([cells for name, cells in columns.items() if name != item])
    return ByValues("labels", {"item": item}) if len(judges) > 1 or alike else None


def _are_grades_with_gaps(columns: Sequence[Sequence[str]]) -> bool:
    """Whether all columns hold a few whole numbers, some of them of several columns, and some cells are empty."""
    texts_of = [{*filter(None, cells)} for cells in columns]
    are_whole = all(cell.removesuffix(".0").isdecimal() for cells in texts_of for cell in cells)
    shared = not any(first.isdisjoint(second) for first, second in combinations(texts_of, 2))
    empty = any(not cell for cells in columns for cell in cells)
    return (
        len(texts_of) > 1
        and are_whole
        and shared
        and empty
        and all(1 < len(cells) <= _MOST_LABELS for cells in texts_of)
    )


def _of_appen(columns: Columns) -> ByValues | None:
    """Find the question of a job of Appen, of several the one that has a column of test answers."""
    answers = [
        name
        for name, cells in columns.items()
        if not name.startswith("_") and not name.endswith(_GOLD) and _differ_within(columns["_unit_id"], cells)
    ]
    answers = [name for name in answers if f"{name}{_GOLD}" in columns] or answers
    roles = {"item": "_unit_id", "judge": "_worker_id"}
    return ByValues("labels", {**roles, "label": answers[0]}) if len(answers) == 1 else None


def way_to_label_items(content: bytes, label: str) -> str:
    r"""Say how rows of labels alone get names of items, "" where columns do not share a few words.

    Examples
    --------
    >>> way_to_label_items(b"ann,bo\nok,bad\nok,ok\nbad,ok\nok,ok\n", "x.csv").partition(" (")[0]
    'ann and bo hold the same few words, as labels of judges do, and no column names the items; number the rows'
    """
    sheet = None if not (columns := _columns(content, label, forms=True)) else any_sheet(content, label)
    return "" if sheet is None else way_to_number_items(columns, sheet)


def way_to_number_items(columns: Columns, sheet: Sheet, *, are_labels: bool = False) -> str:
    """Say the same of a table; numbers are labels where two columns are called as judges, or somebody says so."""
    if voters := way_to_voters(columns, sheet):
        return voters
    words = {name: {*filter(None, cells)} for name, cells in columns.items()}
    few = [name for name, texts in words.items() if 1 < len(texts) <= _MOST_LABELS]
    few = [name for name in few if not any(is_nearly_a_number(text.replace(",", ".")) for text in words[name])]
    labels = [name for name in few if any(words[name] & words[second] for second in few if second != name)]
    if any(part_of_word(name) == "topic" and len({*cells}) == len(cells) for name, cells in columns.items()):
        return ""  # these name the items
    numbers = any(is_number(cell.replace(",", ".")) for texts in words.values() for cell in texts)
    unsure = numbers and not are_labels and sum(are_judges([name]) for name in columns) < _TWO
    if len(labels) < _TWO or unsure or sheet.delimiter not in {",", ";"}:
        return ""
    unnamed = not header_names(sheet.sample()[0])[0]
    numbering = f"""'{{print (NR==1?"item":NR-1) "{sheet.delimiter}" $0}}'"""
    tool, script = ("sed", "'1s/^/item/'") if unnamed else ("awk", numbering)
    does = "name the first column" if unnamed else "number the rows"
    alike = f"{first_few(labels, between=' and ')} hold the same few {'numbers' if numbers else 'words'}"
    return f"{alike}, as labels of judges do, and no column names the items; {does} ({tool} {script})"


def way_to_vote_by_column(content: bytes, label: str) -> str:
    r"""Say the same of a file.

    Examples
    --------
    >>> votes = b"left,right,ann,bo\na,b,left,tie\nb,c,tie,left\na,c,tie,\nb,a,left,tie\n"
    >>> way_to_vote_by_column(votes, "x.csv").partition(";")[0]
    'ann and bo hold a vote of one person each'
    """
    sheet = None if not (columns := _columns(content, label, forms=True)) else any_sheet(content, label)
    return "" if sheet is None else way_to_voters(columns, sheet)


def way_to_voters(columns: Columns, sheet: Sheet) -> str:
    """Say how columns get names that are read where each holds whom one person voted for; "" where none do."""
    if not (voters := _voters(columns)):
        return ""
    header = header_names(sheet.sample()[0])
    says = f"{listed(voters, most=_NAMED)} hold a vote of one person each; call them voter_1 and so on"
    if any(sheet.delimiter in name for name in header):
        return says
    sign = {"\t": r"\t"}.get(sheet.delimiter, sheet.delimiter)
    heads = ";".join(f'${header.index(name) + 1}="voter_{number}"' for number, name in enumerate(voters, start=1))
    return f"""{says} (awk 'BEGIN{{FS=OFS="{sign}"}}NR==1{{{heads}}}{{print}}')"""


def _voters(columns: Columns) -> list[str]:
    """Return the columns beside two of sides that say which one person prefers each; none of fewer than two."""
    names = [*columns]
    places = [first_called(names, COLUMNS[side], underscored) for side in ("left", "right")]
    if None in places or vote_columns(names) is not None:
        return []
    left, right = (names[at] for at in places if at is not None)
    sides, systems = _words_of_sides(left, right), {*columns[left], *columns[right]}
    texts_of = {name: {*filter(None, cells)} for name, cells in columns.items() if name not in {left, right}}
    voters = [
        name
        for name, texts in texts_of.items()
        if len(texts) > 1
        and _are_words(texts)
        and all(text in systems or _meaning(text, sides) is not None for text in texts)
    ]
    return voters if len(voters) > 1 else []


def scores_by_values(content: bytes, label: str) -> ByValues | None:
    r"""Find columns of systems, items and perhaps repeats, of which every combination has one row of numbers.

    Examples
    --------
    >>> rows = "".join(f"{item},{name},{item / 7}\n" for item in range(4) for name in ("old", "new"))
    >>> scores_by_values(f"text no,summarizer,fit\n{rows}".encode(), "x.csv").options
    "--system-column summarizer --item-column 'text no'"
    """
    return scores_of_columns(_columns(content, label))


def scores_of_columns(columns: Columns) -> ByValues | None:
    """Find the same in columns by name; see `scores_by_values`."""
    if any(are_judges([name]) for name in columns):
        return None  # scores of judges are something else
    if any(part_of_word(name) == "metric" or are_metrics({*cells}) for name, cells in columns.items()):
        return None  # metrics are no repeats
    words = [name for name, cells in columns.items() if _are_words(cells) and role_of_name(name)[0] != "id"]
    systems = [name for name in words if part_of_word(name) == "system"]
    names = [
        name
        for name, cells in columns.items()
        if all(cells) and not _are_parts(cells) and (role_of_name(name)[0] != "version" or _is_fold(name, systems))
    ][:_MOST_COLUMNS]
    sizes = {name: len({*cells}) for name, cells in columns.items()}
    for more in range(2):
        fitting = [
            (system, *others)
            for system in systems or words
            for others in permutations([name for name in names if name != system], 1 + more)
            if _are_crossed([columns[name] for name in (system, *others)])
        ]
        numeric = {name for name, cells in columns.items() if all(map(is_number, cells))}
        counting = {name for name in columns if _is_called(name, "repeat") or role_of_name(name)[0] == "seed"}
        # what counts repeats is no item, and words that recur (prompts, languages, versions) are sets and no repeats
        repeats = (numeric | counting) - {name for name in columns if word_of(name) in WITHIN_ITEMS or _is_piece(name)}
        fitting = [key for key in fitting if key[1] not in counting and {*key[2:]} <= repeats]
        fitting = [key for key in fitting if _is_called(key[1], "item") or not _is_called(key[-1], "item")]
        fits = {
            key: (sum(map(_is_called, key, _KEY)), sizes[key[1]] > sizes[key[-1]])
            for key in fitting
            if numeric - {*key}
        }
        readings = [key for key, fit in fits.items() if fit == max(fits.values())]
        if readings:
            roles = dict(zip(_KEY, readings[0], strict=False))
            return ByValues("scores", roles) if len(readings) == 1 else None
    return _of_sets(columns, systems or words, words)


def _of_sets(columns: Columns, systems: Sequence[str], words: Sequence[str]) -> ByValues | None:
    """Find sets, such as language pairs, in each of which the names of items begin anew."""
    readings = [
        ByValues("scores", {"system": system, "set": sets, "item": item})
        for item in filter(_is_piece, columns)  # questions may be the same in each
        for system, sets in permutations(words, 2)
        if system in systems
        and item not in {system, sets}
        and "," not in sets + item
        and not {*map(word_of, columns[sets])} <= SPLITS  # of which one alone is asked about
        if _begin_anew(columns[system], columns[sets], columns[item])
    ]
    return readings[0] if len(readings) == 1 else None


def _begin_anew(systems: Sequence[str], sets: Sequence[str], items: Sequence[str]) -> bool:
    """Whether all three alone tell rows from each other, every system is in several sets, and sets are the fewer."""
    rows = len(systems)
    is_distinguished = len({*zip(systems, sets, items, strict=True)}) == rows > len({*zip(systems, items, strict=True)})
    by_set = len({*zip(systems, sets, strict=True)}) == len({*systems}) * len({*sets}) < rows
    return is_distinguished and by_set and 1 < len({*sets}) < len({*items}) and len({*systems}) > 1


def _is_piece(name: str) -> bool:
    return word_of(name) in PIECES or word_of(name) == "item"


def _is_fold(name: str, systems: Sequence[str]) -> bool:
    """Whether a column numbers folds, which repeat where nothing else names systems; splits and versions never do."""
    return not systems and underscored(name) in {"fold", "folds"}


def _is_called(name: str, role: str) -> bool:
    return part_of_word(name) == {"item": "topic"}.get(role, role)


def _are_crossed(key: Sequence[Sequence[str]]) -> bool:
    """Whether every combination of names stands in one row, and every name in several."""
    sizes = [len({*cells}) for cells in key]
    return min(sizes) > 1 and prod(sizes) == len(key[0]) == len({*zip(*key, strict=True)})


def _columns(content: bytes, label: str, *, forms: bool = False) -> Columns:
    """Return the cells of the first rows by column; none of a file that is no table, or has few rows."""
    try:
        sheet = any_sheet(content, label, forms=forms)
    except MetaevalError:
        return {}
    return {} if sheet is None else columns_of_sheet(sheet)


def columns_of_sheet(sheet: Sheet) -> Columns:
    """Return the same of a table."""
    try:
        rows = [*islice(sheet.rows(), _MOST_ROWS)]
    except MetaevalError:
        return {}
    names = header_names(rows[0]) if len(rows) > _FEWEST_ROWS else []
    if any(len(cells) != len(names) for cells in rows) or {*map(str.casefold, names)} >= MARKED_ERRORS:
        return {}
    cells_by_name = zip(names, zip(*rows[1:], strict=True), strict=True)
    return {name: [cell.strip() for cell in cells] for name, cells in cells_by_name if name}


def _are_words(cells: Iterable[str]) -> bool:
    return all(cell and len(cell) <= _LONGEST and not is_number(cell) for cell in cells)


def _are_parts(cells: Iterable[str]) -> bool:
    return any(is_number(cell) and float(cell) % 1 for cell in cells)


def _words_of_sides(left: str, right: str) -> dict[str, float]:
    """Return what names either side in the header: all of its name, and words that the other's has not.

    Examples
    --------
    >>> _words_of_sides("resp_1_model", "resp_2_model")
    {'resp_1_model': 1.0, '1': 1.0, 'resp_2_model': 0.0, '2': 0.0}
    """
    parts = [{*re.split(r"[\W_]+", name.casefold())} for name in (left, right)]
    names = [
        (name.casefold(), *sorted(words - others))
        for name, words, others in zip((left, right), parts, reversed(parts), strict=True)
    ]
    share_of = {word: share for share, words in zip((1.0, 0.0), names, strict=True) for word in words if word}
    return {word: share for word, share in share_of.items() if word not in VERDICTS}


def _meaning(text: str, sides: Mapping[str, float]) -> float | None:
    """Return the left side's share where a word for the winner, or one word in it, says who won; else None.

    Examples
    --------
    >>> [_meaning(text, {"new": 0.0}) for text in ("A is better", "new", "tie", "a tie", "neat")]
    [1.0, 0.0, 0.5, None, None]
    >>> [_meaning(text, {}) for text in ("A is worse", "A is not better", "both are bad")]
    [0.0, None, 0.5]
    """
    share_of = {word: verdict.share for word, verdict in VERDICTS.items()} | dict(sides)
    if (share := share_of.get(plain_word(text))) is not None:
        return share
    words = re.split(r"[\W_]+", text.casefold())
    shares = {share_of[word] for word in words if word in share_of}
    share = shares.pop() if len(shares) == 1 and not is_negated(words) else None
    return 1.0 - share if share is not None and says_who(text) == "loser" else share


def _judge_items(items: Sequence[str], judges: Sequence[str], *, called: bool) -> bool:
    """Whether each of a few judges, who are `called` so or named, says one thing of an item, and most have several."""
    n_judges, n_items = len({*judges}), len({*items})
    n_pairs = len({*zip(items, judges, strict=True)})
    return (
        (n_pairs == len(items) or (called and are_pairs_of_judges(n_pairs, n_items, len(items))))
        and (called or _are_words(judges))
        and _TWO <= n_judges <= min(_MOST_JUDGES, n_items)
        and len(items) > _SEVERAL * n_items
    )


def _is_said_once(columns: Columns, how: ByValues) -> bool:
    items, judges = (columns[how.columns[role]] for role in ("item", "judge"))
    return len({*zip(items, judges, strict=True)}) == len(items)


def are_pairs_of_judges(n_pairs: int, n_items: int, n_rows: int) -> bool:
    """Whether rows are one label of a judge each, who may say something of an item again, as on crowds.

    Examples
    --------
    >>> are_pairs_of_judges(12, 4, 14), are_pairs_of_judges(4, 4, 8), are_pairs_of_judges(4, 4, 4)
    (True, False, False)
    """
    return n_pairs > _SEVERAL * n_items and 2 * n_pairs > n_rows


def _differ_within(items: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether labels differ between rows of one item, and are shared by items."""
    pairs = {*zip(items, labels, strict=True)}
    return len({*items}) < len(pairs) and len({*labels}) < len(pairs)
