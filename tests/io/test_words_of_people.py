"""Columns in the words of people of any language are known to tables of scores, labels, votes and human scores."""

import numpy as np
import pandas as pd
import pytest

from metaeval.agreement.items import columns_of_people, item_scores, system_means
from metaeval.base.columns import ITEMS, JUDGES, LABELS, PARTS, VOTERS, without_accents
from metaeval.errors import FileFormatError, InvalidOptionError
from metaeval.inex.judges import read_judges
from metaeval.io.items import read_items
from metaeval.io.labels import read_labels
from metaeval.io.tables import read_scores
from metaeval.io.votes import read_votes
from metaeval.table.roles import SCORES, part_of_word
from metaeval.table.vote_columns import COLUMNS

WORDS = {part: [word for tier in tiers for word in tier] for part, tiers in PARTS.items()}


def _file(folder, text, name="x.csv"):
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


# ------------------------------------------------------------------------------------------------ one table of words


@pytest.mark.parametrize("part", ["system", "topic", "repeat"])
def test_every_word_of_a_part_is_known_to_tables_of_scores(part):
    """The words that tables of all kinds share are those by which tables of scores are read."""
    assert [word for word in WORDS[part] if part_of_word(word) != part] == []
    assert set(WORDS[part]) <= {*SCORES[part]}


def test_every_word_for_systems_and_items_is_known_to_labels_and_human_scores():
    """What names a system or an item in one table names it in another, as some part of it."""
    labels = {word for part in ("topic", "item", "asked", "more", "setting") for word in LABELS[part]}
    assert [word for word in (*WORDS["topic"], *WORDS["system"]) if word not in labels] == []
    assert [word for word in WORDS["system"] if word not in ITEMS["system"]] == []
    assert [word for word in WORDS["topic"] if word not in (*ITEMS["item"], *ITEMS["more"])] == []


def test_every_word_for_judges_is_known_to_labels_and_votes():
    """Who judges is who votes; who votes may be an address too."""
    assert set(JUDGES) == set(LABELS["judge"])
    assert {*JUDGES, *VOTERS} <= {*COLUMNS["voter"]}


def test_every_word_for_systems_is_known_to_votes_beside_a_side():
    """System A and system B, in any word for a system."""
    assert [word for word in WORDS["system"] if f"{word}_a" not in COLUMNS["left"]] == []
    assert [word for word in WORDS["system"] if f"{word}_b" not in COLUMNS["right"]] == []


def test_words_are_written_without_accents():
    """Names are compared without accents, so that words with one would never be found."""
    tables = [*WORDS.values(), JUDGES, VOTERS, *LABELS.values(), *ITEMS.values(), *COLUMNS.values()]
    assert [word for words in tables for word in words if word != without_accents(word)] == []


# ------------------------------------------------------------------------------------------------ labels


@pytest.mark.parametrize(
    "header",
    [
        "consulta,documento,asesor,relevancia",
        "requête;passage;juge;note",
        "REQUETE;Texte;Évaluateur;Note (0-2)",
        "Thema,Dokument,Gutachterin,Relevanz",
        "tema,testo,valutatore,giudizio",
    ],
)
def test_long_labels_are_read_in_any_language(tmp_path, header):
    """A header of another language, with or without accents, is read as the English one."""
    sign = ";" if ";" in header else ","
    rows = ["t1,d1,ann,2", "t1,d1,ben,1", "t1,d2,ann,0", "t1,d2,ben,0"]
    labels = read_labels(_file(tmp_path, "\n".join([header, *(row.replace(",", sign) for row in rows)]) + "\n"))
    assert labels.index.names == ["topic", "item"]
    assert labels.to_numpy().tolist() == [[2, 1], [0, 0]]


def test_remarks_are_no_labels_where_a_column_is_called_note(tmp_path):
    """A column called note holds labels where it holds numbers, else somebody's remarks."""
    rows = ["item,judge,note,value", "d1,ann,unsure,2", "d1,ben,,1", "d2,ann,,0", "d2,ben,easy,0", "d3,ann,,1"]
    rows += ["d3,ben,,2"]
    with pytest.raises(FileFormatError, match="names judges"):
        read_labels(_file(tmp_path, "\n".join(rows) + "\n"))


def test_labels_of_several_aspects_are_asked_about(tmp_path):
    """Of fluency and relevance on one scale neither is silently taken, and the one named is read."""
    rows = ["doc,judge,fluency,relevance", "d1,ann,3,1", "d1,ben,2,2", "d2,ann,1,3", "d2,ben,3,1"]
    path = _file(tmp_path, "\n".join(rows) + "\n")
    with pytest.raises(FileFormatError, match=r"several columns hold labels of one scale \(fluency, relevance\)"):
        read_labels(path)
    assert read_labels(path, columns={"label": "relevance"}).to_numpy().tolist() == [[1, 2], [3, 1]]


def test_what_is_of_the_item_is_no_other_aspect(tmp_path):
    """A difficulty that all judges of an item share is not asked about, nor is a second form of the labels."""
    rows = ["doc,judge,relevance,new_relevance,level", "d1,ann,1,1,2", "d1,ben,2,1,2", "d2,ann,3,3,1", "d2,ben,1,3,1"]
    assert read_labels(_file(tmp_path, "\n".join(rows) + "\n")).to_numpy().tolist() == [[1, 2], [3, 1]]


def test_a_column_of_one_label_an_item_is_the_reference(tmp_path):
    """`--reference NIST` compares the judges with the column NIST beside them, an empty cell being no label."""
    rows = ["topic,doc,person,label,NIST", "1,d1,A,2,2", "1,d1,B,0,2", "1,d2,A,1,0", "1,d2,B,0,0", "1,d3,A,1,"]
    path = _file(tmp_path, "\n".join([*rows, "1,d3,B,2,"]) + "\n")
    labels = read_judges([path], reference="NIST").labels
    assert [*labels.columns] == ["A", "B", "NIST"]
    assert labels["NIST"].tolist()[:2] == [2, 0]
    assert np.isnan(labels["NIST"].iloc[2])
    assert labels["A"].tolist() == [2, 1, 1]
    told = read_judges([path]).labels
    assert [*told.columns] == ["A", "B"]
    assert "one label an item is in 'NIST': compare the judges with it as the `reference`" in told.attrs["notes"]


# ------------------------------------------------------------------------------------------------ votes

_VOTES = ["p1,x,y,{0},v1", "p2,y,z,{1},v2", "p3,z,x,{2},v1", "p1,x,z,{0},v2"]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("question,modèle_gauche,modèle_droite,gagnant,votant", ("gauche", "droite", "égalité")),
        ("Pregunta,Sistema izquierda,Sistema derecha,Ganador,Correo", ("Izquierda", "Derecha", "Empate")),
        ("Frage,System A,System B,Gewinner,E-Mail", ("A", "B", "gleich")),
        ("requête,système_a,système_b,GAGNANT,Juge", ("a", "b", "EGALITE")),
    ],
)
def test_votes_are_read_in_any_language(tmp_path, header, words):
    """Systems, winner, question and voter are found by name: x won, z won, a tie, x won."""
    path = _file(tmp_path, "\n".join([header, *(row.format(*words) for row in _VOTES)]) + "\n")
    table = read_votes(path).to_frame()
    assert table["share"].tolist() == [1.0, 0.0, 0.5, 1.0]
    assert table["voter"].tolist() == [0, 1, 0, 1]
    assert table["question"].tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize(
    "header", ["System A;System B;A gewinnt;B gewinnt;gleich", "sistema_a;sistema_b;gana_a;gana_b;empates"]
)
def test_counts_of_a_pair_are_read(tmp_path, header):
    """System x won 3 times, lost once and tied twice against y: 6 votes with a share of (3 + 2/2) / 6."""
    table = read_votes(_file(tmp_path, f"{header}\nx;y;3;1;2\ny;z;0;4;0\n")).to_frame()
    of_pair = table[table["left"].eq("x") & table["right"].eq("y")]
    assert table["weight"].sum() == 10
    assert np.average(of_pair["share"], weights=of_pair["weight"]) == pytest.approx(4 / 6)


def test_a_preference_in_french_is_asked_about_by_its_numbers_and_the_judge_votes(tmp_path):
    """1, 2 and 0 are the left, the right and neither; the column of judges is never offered as that of winners."""
    path = _file(tmp_path, "Question,Gauche,Droite,Préférence,Juge\np1,x,y,1,v1\np2,y,z,0,v2\np3,z,x,2,v1\n")
    with pytest.raises(FileFormatError, match="the preference is '0'"):
        read_votes(path)
    table = read_votes(path, words={"0": "tie", "1": "left", "2": "right"}).to_frame()
    assert table["share"].tolist() == [1.0, 0.5, 0.0]
    assert table["voter"].tolist() == [0, 1, 0]


def test_a_column_of_ties_or_voters_is_not_offered_as_the_winner(tmp_path):
    """The column that says by its name who won comes before any other."""
    with pytest.raises(FileFormatError) as caught:
        read_votes(_file(tmp_path, "Gauche,Droite,Meilleur modèle,Juge,égalité\nx,y,7,v1,0\ny,z,8,v2,0\n"))
    assert "'winner': 'Meilleur modèle'" in str(caught.value)


# ------------------------------------------------------------------------------------------------ human scores


def _metrics(n_systems=6, n_items=30):
    rng = np.random.default_rng(5)
    names = [(f"s{system}", f"d{item}") for system in range(n_systems) for item in range(n_items)]
    human = rng.normal(size=len(names)) + np.repeat(np.arange(n_systems), n_items)
    frame = pd.DataFrame(names, columns=["system", "doc"])
    return frame.assign(human=human, chrF=human + rng.normal(size=len(names)))


@pytest.mark.parametrize(
    ("reference", "other"),
    [("Mensch (z)", "Mensch (roh)"), ("Humain", "humain brut"), ("umano", "Umano grezzo"), ("humano_z", "Humano")],
)
def test_the_human_score_in_another_form_is_no_metric_in_any_language(reference, other):
    """The raw human score does not agree best with the human score."""
    frame = _metrics().rename(columns={"human": reference})
    frame[other] = 50 + 10 * frame[reference]
    scores = item_scores(frame, reference=reference, item="doc")
    assert scores["metric"].to_numpy().tolist() == [reference, "chrF"]
    assert f"the human score {reference!r} in another form" in " ".join(scores.attrs["notes"])


def test_a_column_that_follows_the_human_score_is_named_whatever_it_is_called():
    """Another form under a name that nobody knows is noted, of items as of systems; a metric is not."""
    frame = _metrics()
    frame["Bew. unskaliert"] = 50 + 10 * frame["human"]
    notes = item_scores(frame, reference="human", item="doc").attrs["notes"]
    told = (
        "'Bew. unskaliert' follows 'human' as another form of it does (r 1.000): if it is one, name the metrics alone"
    )
    assert [note for note in notes if "follows" in note] == [f"{told} (`metrics=['chrF']`)"]
    means = frame.drop(columns="doc").groupby("system").mean().reset_index()
    notes = system_means(means, reference="human").attrs["notes"]
    assert [note for note in notes if "follows" in note] == [f"{told} (`metrics=['chrF']`)"]


def test_columns_of_people_are_known_in_any_language():
    """A word for people in any name, and of several annotators beside metrics their mean."""
    assert columns_of_people(["system", "chrF", "Note humaine", "Longueur"]) == ["Note humaine"]
    assert columns_of_people(["system", "chrF", "Annotator 1", "Annotator 2", "Avg"]) == ["Avg"]
    assert columns_of_people(["system", "chrF", "BLEU"]) == []


def test_long_and_wide_scores_of_several_metrics_are_read_beside_human_scores(tmp_path):
    """A row a score, a file a metric with a column a system, and a row a system and item hold the same numbers."""
    human, chrf = {("a", "1"): 3, ("a", "2"): 1, ("b", "1"): 2, ("b", "2"): 4}, {("a", "1"): 0.5, ("a", "2"): 0.25}
    chrf |= {("b", "1"): 0.75, ("b", "2"): 1.5}
    long = ["sistema,documento,metrica,valor"]
    long += [
        f"{s},{d},{name},{value}" for name, of in (("humano", human), ("chrF", chrf)) for (s, d), value in of.items()
    ]
    frame = read_items(_file(tmp_path, "\n".join(long) + "\n"))
    expected = [[0.5, 3], [0.25, 1], [0.75, 2], [1.5, 4]]
    assert frame[["chrF", "humano"]].to_numpy().tolist() == expected
    folder = tmp_path / "wide"
    folder.mkdir()
    for name, of in (("humano", human), ("chrF", chrf)):
        _file(folder, f"doc,a,b\n1,{of['a', '1']},{of['b', '1']}\n2,{of['a', '2']},{of['b', '2']}\n", f"{name}.csv")
    frame = read_items([str(folder)]).sort_values(["system", "item"])
    assert frame[["chrF", "humano"]].to_numpy().tolist() == expected


def test_files_are_joined_by_what_their_columns_are(tmp_path):
    """Document `doc` of system `system` is document `doc_id` of `model`."""
    metrics = _file(tmp_path, "system,doc,BLEU\na,1,0.5\nb,1,0.25\n", "metrics.csv")
    people = _file(tmp_path, "model,doc_id,DA\nb,1,60\na,1,80\n", "people.csv")
    assert read_items([metrics, people])[["BLEU", "DA"]].to_numpy().tolist() == [[0.5, 80], [0.25, 60]]


def test_language_pairs_of_different_systems_are_no_items(tmp_path):
    """Where one system of many stands in several language pairs, a pair is chosen, and the advice is followed."""
    rows = [f"{pair},{pair}-s{at},{at},{at / 2}" for pair in ("de-en", "en-de", "ja-en") for at in range(4)]
    rows += [f"{pair},Human,5,2" for pair in ("de-en", "en-de")]
    path = _file(tmp_path, "\n".join(["LP,system,human,chrF", *rows]) + "\n")
    with pytest.raises(FileFormatError, match=r"choose one \(`where=\{'LP': 'de-en'\}`\)"):
        read_items(path)
    frame = read_items(path, where={"LP": "de-en"})
    assert frame.attrs["items"] == []
    assert frame["human"].tolist() == [0, 1, 2, 3, 5]


# ------------------------------------------------------------------------------------------------ scores


def test_means_under_two_judges_are_no_topics(tmp_path):
    """Two judges of whole systems are asked about, and are topics where that is said."""
    path = _file(tmp_path, "system,LLM,NIST\na,0.5,0.6\nb,0.4,0.7\nc,0.3,0.2\n")
    with pytest.raises(FileFormatError, match="'LLM', 'NIST' are called as judges are"):
        read_scores(path)
    assert read_scores(path, systems_in="rows").sizes["topic"] == 2


def test_several_ratings_of_whole_systems_are_no_topics(tmp_path):
    """Elo and Bradley-Terry are two ratings of the same votes."""
    path = _file(
        tmp_path, "Modell,bradley_terry,counting,elo,eigen\na,0.1,12,1010,0.3\nb,0.2,10,990,0.1\nc,0.4,9,1500,0.2\n"
    )
    with pytest.raises(FileFormatError, match="scores of systems without topics"):
        read_scores(path)


def test_a_start_value_numbers_the_repeats(tmp_path):
    """Startwert is a seed: two of them are two repeats of a score."""
    rows = [f"{m},{q},{s},0.{m}{q}{s}" for m in (1, 2) for q in (1, 2) for s in (3, 4)]
    path = _file(tmp_path, "\n".join(["Modell,Aufgabe,Startwert,F1", *(f"m{row}" for row in rows)]) + "\n")
    assert read_scores(path).sizes["repeat"] == 2


def test_a_crosstab_of_two_judges_is_told(tmp_path):
    """Counts of items by the labels of two judges are no votes, and the way to labels is said."""
    with pytest.raises((FileFormatError, InvalidOptionError), match="two labels of two judges"):
        read_labels(_file(tmp_path, "NIST,0,1,2\n0,46,16,3\n1,6,14,10\n2,3,8,14\n"))


def test_judges_of_one_scale_who_share_no_word_but_through_others_are_of_one_kind(tmp_path):
    """The first says relevant of all that it saw, the second not relevant, and the third both."""
    path = tmp_path / "t.csv"
    rows = ["1,relevant,,not_relevant", "2,relevant,,highly_relevant", "3,,not_relevant,relevant", "4,,not_relevant,"]
    path.write_text("\n".join(["item,w1,w2,w3", *rows, "5,relevant,not_relevant,relevant"]) + "\n")
    found = read_labels(path)
    assert [*found.columns] == ["w1", "w2", "w3"]
    assert found.notna().to_numpy().sum() == 10
