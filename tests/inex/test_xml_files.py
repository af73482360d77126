import pytest

from metaeval.errors import FileFormatError
from metaeval.inex.file_rules import InexWarning
from metaeval.inex.reading import read_assessments, read_pool, read_submission

HEAD = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
    '<inex-submission participant-id="12" run-id="VSM" task="Focused " query="automatic">\n'
)


def submission(results, *, head=HEAD, topic="414"):
    body = "".join(f"<result>{result}</result>\n" for result in results)
    return f'{head}<topic topic-id="{topic}">\n{body}</topic>\n</inex-submission>'


def assessments(inside, *, attributes="pool='163' topic='163' version='3.0'"):
    return f"<assessments {attributes}>\n<file file='co/2001/r7022.xml'>\n{inside}\n</file>\n</assessments>"


def modern(inside, *, more=""):
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE assessments SYSTEM "../../assessments.dtd">\n'
        '<assessments pool="5" topic="289" version="2">\n'
        '<inex_topic topic_id="289"><title>a &lt;b&gt;&nbsp;</title></inex_topic>\n'
        f'<file collection="wikien" name="123456">\n{inside}\n</file>\n{more}</assessments>'
    )


@pytest.fixture
def file(tmp_path):
    def write(text, name="file.xml"):
        path = tmp_path / name
        path.write_text(text, "latin1")
        return path

    return write


def test_a_submission_of_the_wikipedia_years(file):
    """Header, topic fields, description, collections and all kinds of locations are read."""
    head = HEAD + (
        '<topic-fields title="yes" mmtitle="no"/>\n<description>f\xfcr alle <b>bold</b></description>\n'
        "<collections><collection>wikipedia</collection></collections>\n"
    )
    text = submission(
        [
            "<file>1.xml</file><path>/article[1]/body[1]</path><rank>1</rank><rsv>0.5</rsv>",
            '<file>2</file><passage start="/article[1]/p[1]/text()[1].0" end="/article/p[3]/text().57"/><rank>2</rank>',
            '<file>3</file><fol offset="0" length="1234"/><rank>3</rank>',
            '<file>4</file><fol offset="77"/><rank>4</rank>',
        ],
        head=head,
    )
    run = read_submission(file(text))
    assert (run.run, run.participant, run.task, run.answered) == ("VSM", "12", "Focused", ("414",))
    columns = ["document", "path", "end_path", "offset", "length", "rank"]
    assert run.results[columns].to_numpy().tolist() == [
        ["1", "/article[1]/body[1]", "", -1, -1, 1.0],
        ["2", "/article[1]/p[1]/text()[1].0", "/article[1]/p[3]/text()[1].57", -1, -1, 2.0],
        ["3", "", "", 0, 1234, 3.0],
        ["4", "", "", 77, -1, 4.0],
    ]
    assert run.results["line"].tolist() == [7, 8, 9, 10]
    assert run.results["rsv"].isna().tolist() == [False, True, True, True]


def test_the_layout_of_2002(file):
    """A description directly under the root, and scores without ranks, highest first, equal ones as they stand."""
    head = '<inex-submission participant-id="3" run-id="old" topic-part="T" task="CO" query="automatic"><description/>'
    scores = [0.1, 0.7, 0.4, 0.7]
    results = [f"<file>{number}</file><path>/a</path><rsv>{score}</rsv>" for number, score in enumerate(scores)]
    assert read_submission(file(submission(results, head=head))).results["document"].tolist() == ["1", "3", "2", "0"]


@pytest.mark.parametrize(
    ("numbers", "order"),
    [
        ([(2, 0.9), (0, 0.1), (1, 0.5)], ["1", "2", "0"]),  # every result has a rank: ranks, from 0 on as some write
        ([(2, 0.2), (None, 0.9), (1, 0.5)], ["1", "2", "0"]),  # not every one has: scores
        ([(None, None), (None, None), (None, None)], ["0", "1", "2"]),  # neither: the file's order
    ],
)
@pytest.mark.filterwarnings("ignore::metaeval.inex.file_rules.InexWarning")
def test_order_of_results(file, numbers, order):
    """Ranks count where all have one, else scores where all have one, else the order of the file."""
    results = [
        f"<file>{number}</file><path>/a</path>"
        + ("" if rank is None else f"<rank>{rank}</rank>")
        + ("" if rsv is None else f"<rsv>{rsv}</rsv>")
        for number, (rank, rsv) in enumerate(numbers)
    ]
    assert read_submission(file(submission(results))).results["document"].tolist() == order


def test_results_with_some_ranks_only_are_remarked(file):
    """Numbers that order nothing, because others lack them, are named with their line."""
    results = ["<file>1</file><path>/a</path><rank>1</rank>", "<file>2</file><path>/a</path>"]
    with pytest.warns(InexWarning, match="line 4: some results of a topic have a rank or rsv that others lack"):
        assert read_submission(file(submission(results))).results["document"].tolist() == ["1", "2"]


def test_a_topic_in_two_parts_is_put_together(file):
    """The parts follow one another even where their ranks start again, and a warning names the second."""
    part = "<topic topic-id='1'>\n{}</topic>\n"
    ranked = "<result><file>{}</file><path>/a</path><rank>{}</rank></result>\n"
    first = part.format(ranked.format("a", 2) + ranked.format("b", 1))
    second = part.format(ranked.format("c", 2) + ranked.format("d", 1))
    other = "<topic topic-id='2'/>\n"
    with pytest.warns(InexWarning, match=r"line 8: a topic stands in one <topic>.*begun in line 3"):
        run = read_submission(file(HEAD + first + other + second + "</inex-submission>"))
    assert run.results["document"].tolist() == ["b", "a", "d", "c"]
    assert run.answered == ("1", "2")


def test_an_empty_list_is_an_answer(file):
    """A topic without results is answered, and an empty run has an empty table of the right kinds."""
    run = read_submission(file(submission([])))
    assert run.answered == ("414",)
    assert run.results.empty
    assert run.results["offset"].dtype == "int64"


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">\n<!ENTITY b "&a;&a;&a;&a;">]>\n<inex-submission run-id="&b;"/>'
OUTSIDE = '<!DOCTYPE x [\n<!ENTITY secret SYSTEM "file:///etc/passwd">]>\n<inex-submission>&secret;</inex-submission>'
PARAMETER = '<!DOCTYPE x [\n<!ENTITY % p SYSTEM "http://localhost/x.dtd"> %p;]>\n<inex-submission/>'


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (BOMB, 1, "declares an entity"),
        (OUTSIDE, 2, "declares an entity"),
        (PARAMETER, 2, "declares an entity"),
        (HEAD + "<topic topic-id='1'>", 3, "XML is broken"),
        (HEAD + "<topic topic-id='1'>\n</result></topic>", 4, "mismatched tag"),
        ("<inex-submission>&undeclared;</inex-submission>", 1, "undefined entity"),
        ("<?xml version='1.0' encoding='klingon'?><inex-submission/>", 1, "encoding"),
        ("<submission/>", 1, "begins with <submission>, not with <inex-submission>"),
        (HEAD + "<topic/></inex-submission>", 3, "needs the attribute topic-id"),
        (
            HEAD + "<topics/></inex-submission>",
            3,
            r"<inex-submission> may hold .*; got <topics> \(did you mean <topic>\?\)",
        ),
        (submission(["<file>1</file><paths>/a</paths>"]), 4, "<result> may hold"),
        (submission(["<file>1</file>"]), 4, "needs one <path>.*0 locations"),
        (submission(["<file>1</file><path>/a</path><path>/b</path>"]), 4, "2 locations"),
        (submission(["<path>/a</path>"]), 4, "needs a <file>"),
        (submission(["<file>1</file>\n<path>a//b</path>"]), 5, "begin at the root"),
        (submission(["<file>1</file><path>/a</path><rank>first</rank>"]), 4, "rank must be a number, not 'first'"),
        (submission(["<file>1</file><path>/a</path><rsv>inf</rsv>"]), 4, "rsv must be a number"),
        (submission(['<file>1</file><fol offset="-2" length="4"/>']), 4, "offset must be a whole number from -1"),
        (submission(['<file>1</file><fol offset="2" length="four"/>']), 4, "length must be a whole number"),
        (submission(['<file>1</file><passage start="/a/text()[1].0"/>']), 4, "needs the attribute end"),
    ],
)
def test_bad_submissions_are_refused_with_their_line(file, text, line, says):
    """Hostile, broken and incomplete XML is an error with file and line, whether strict or not."""
    path = file(text)
    with pytest.raises(FileFormatError, match=says) as refused:
        read_submission(path)
    assert (refused.value.path, refused.value.line) == (str(path), line)


def test_unknown_elements_are_passed_over_when_lenient(file):
    """With lenient=True what does not belong is left out together with all it holds."""
    text = submission(["<file>1<note><file>2</file>3</note></file><note>4</note><path>/a<note>5</note></path>"])
    with pytest.warns(InexWarning, match="it is passed over"):
        assert read_submission(file(text), lenient=True).results["document"].tolist() == ["1"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("<file>a</file>", "<file>b.xml</file>"),
        ("<rank>2</rank>", "<rank>1</rank>"),
        ("<rsv>0.5</rsv>", "<rsv>0.75</rsv>"),
    ],
)
def test_a_result_has_one_document_rank_and_score(file, first, second):
    """A second one is an error when strict; when lenient the first counts, with a warning."""
    others = "".join(part for part in ("<file>a</file>", "<rank>2</rank>") if part != first)
    text = submission([f"{others}<path>/a</path>{first}\n{second}"])
    name = first[1 : first.index(">")]
    with pytest.raises(FileFormatError, match=f"line 5: a result has one <{name}>; got a second one, '[^']+'"):
        read_submission(file(text))
    with pytest.warns(InexWarning, match=f"line 5: a result has one <{name}>; the first counts"):
        lenient = read_submission(file(text), lenient=True)
    assert lenient.results[["document", "rank"]].to_numpy().tolist() == [["a", 2]]
    assert name != "rsv" or lenient.results["rsv"].tolist() == [0.5]


def test_an_entity_is_found_in_any_encoding(tmp_path):
    """A declaration hides neither in UTF-16 nor behind a subset outside the file, which is not fetched."""
    path = tmp_path / "run.xml"
    path.write_bytes('<?xml version="1.0" encoding="UTF-16"?>'.encode("utf-16") + BOMB.encode("utf-16-le"))
    with pytest.raises(FileFormatError, match="declares an entity"):
        read_submission(path)
    outside = '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd" [<!ATTLIST topic topic-id CDATA "7">]>'
    path.write_text(f"{outside}<inex-submission><topic>&n;</topic></inex-submission>", "utf-8")
    assert read_submission(path).answered == ("7",)


def test_nesting_without_end_is_no_danger(file):
    """Elements a hundred thousand deep are an error when strict, and passed over when not."""
    path = file(HEAD + "<a>" * 100_000 + "</a>" * 100_000 + "</inex-submission>")
    with pytest.raises(FileFormatError, match="<inex-submission> may hold"):
        read_submission(path)
    with pytest.warns(InexWarning, match="passed over"):
        assert read_submission(path, lenient=True).results.empty


def test_line_numbers_stay_right_in_long_files(file):
    """Lines are counted exactly beyond 65535, where some XML libraries stop."""
    text = submission(["<file>1</file>\n\n\n<path>/a</path>"] * 20_000 + ["<file>1</file>"])
    with pytest.raises(FileFormatError) as refused:
        read_submission(file(text))
    assert refused.value.line == 80_004


def test_assessments_of_2002(file):
    """Relevance and coverage in letters."""
    inside = "<path path='/article' relevance='2' coverage='E'/>\n<path path='/article/p' relevance='1' coverage='S'/>"
    judged = read_assessments(file(assessments(inside, attributes='topic="1"')))
    assert judged.scale == "2002"
    assert judged.elements[["path", "exhaustivity", "specificity"]].to_numpy().tolist() == [
        ["/article[1]", 2, 3.0],
        ["/article[1]/p[1]", 1, 2.0],
    ]


def test_assessments_of_2004(file):
    """Single quotes, the topic beside the pool, and whatever the element is called."""
    inside = (
        "<path path='/article[1]/bdy[1]/sec[4]' exhaustiveness='2' specificity='2'/>\n"
        "<x path='/article[1]' exh='3' spec='1'/>"
    )
    judged = read_assessments(file(assessments(inside)))
    assert judged.scale == "2003"
    assert judged.documents[["topic", "document", "relevant_size"]].to_numpy().tolist() == [
        ["163", "co/2001/r7022", -1]
    ]
    assert judged.elements[["exhaustivity", "specificity", "size", "line"]].to_numpy().tolist() == [
        [2, 2.0, -1, 3],
        [3, 1.0, -1, 4],
    ]


def test_assessments_of_2005_to_2007(file):
    """Sizes, "?", best entry point, passages, comments, an entity of a DTD that is not fetched, an empty document."""
    inside = """<best-entry-point path="/article[1]/body[1]/p[1]/text()[1].0"/>
<passage start="/article[1]/body[1]/p[1]/text()[1].0" end="/article[1]/body[1]/p[3]/text()[1].57" size="812"/>
<element path="/article[1]" exhaustivity="2" size="4711" rsize="812"/>
<!-- Warning: nothing -->
<element path="/article[1]/body[1]/p[1]" exhaustivity="?" size="30" rsize="30"/>"""
    judged = read_assessments(file(modern(inside, more='<file collection="wikien" name="222"> </file>\n')))
    assert judged.scale == "2005"
    columns = ["topic", "document", "relevant_size", "size", "best_entry_point", "line"]
    assert judged.documents[columns].to_numpy().tolist() == [
        ["289", "123456", 812, 4711, "/article[1]/body[1]/p[1]/text()[1].0", 5],
        ["289", "222", 0, -1, "", 12],
    ]
    assert judged.elements[["exhaustivity", "size", "relevant_size"]].to_numpy().tolist() == [
        [2, 4711, 812],
        [-1, 30, 30],
    ]
    assert judged.elements["specificity"].tolist() == [812 / 4711, 1.0]
    assert judged.passages[["length", "offset"]].to_numpy().tolist() == [[812, -1]]


@pytest.mark.parametrize("rsize", [30, 29])
def test_fully_specific_is_exactly_one(file, rsize):
    """Specificity is 1 exactly where the highlighted size is the size."""
    judged = read_assessments(file(modern(f'<element path="/a" exhaustivity="1" size="30" rsize="{rsize}"/>')))
    assert (judged.elements["specificity"].iloc[0] == 1) == (rsize == 30)


def test_highlighting_only_is_highly_exhaustive(file):
    """Without an exhaustivity (2006 on) an element with highlighted text counts as relevant."""
    judged = read_assessments(file(modern('<element path="/a" size="30" rsize="3"/>')))
    assert judged.elements["exhaustivity"].tolist() == [2]


def test_passages_alone_are_the_scale_of_passages(file):
    """A file with passages and no element at all is one of 2007 on."""
    judged = read_assessments(file(modern('<passage start="/a/text().0" end="/a/text().9" size="9"/>')))
    assert judged.scale == "passages"
    assert judged.documents["relevant_size"].tolist() == [9]


PAIR = "<path path='/article' exhaustiveness='{}' specificity='{}'/>"
RELATED = (
    "<path path='/a' exhaustiveness='1' specificity='1'/>\n<path path='/a/b/c' exhaustiveness='2' specificity='3'/>"
)
OLD = "<path path='/article' relevance='{}' coverage='{}'/>"
NEW = '<element path="/a" exhaustivity="{}" size="{}" rsize="{}"/>'
SMALL = NEW.format("?", 50, 20) + '\n<element path="/a/b" exhaustivity="1" size="30" rsize="20"/>'
HIGH = NEW.format("1", 50, 20) + '\n<element path="/a/b" exhaustivity="2" size="30" rsize="20"/>'
TOUCHING = (
    '<passage start="/a/p[1]/text()[1].0" end="/a/p[2]/text()[1].5" size="9"/>\n'
    '<passage start="/a/p[2]/text().5" end="/a/p[3]/text()[1].5" size="9"/>'
)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (assessments(PAIR.format(0, 2)), 3, r"0 to 3, and 0 together; got \(0, 2\)"),
        (assessments(PAIR.format(3, 0)), 3, "0 together"),
        (assessments(PAIR.format(4, 1)), 3, r"got \(4, 1\)"),
        (assessments(OLD.format(3, "S")), 3, r"S not with 3; got \(3, S\)"),
        (assessments(OLD.format(0, "E")), 3, "N exactly with 0"),
        (assessments(RELATED), 4, r"more exhaustive than what it stands in; got 2 for /a\[1\]/b\[1\]/c\[1\]"),
        (assessments(PAIR.format(1, 1) + "\n" + PAIR.format(2, 2)), 4, "assessed once"),
        (modern(SMALL), 7, 'in a "\\?" element all is'),
        (modern(HIGH), 7, "around one of 2 all is 2"),
        (modern(NEW.format(1, 10, 20)), 6, "rsize must lie from 0 to its size"),
        (modern(NEW.format(0, 10, 5)), 6, "e = 0 iff s = 0"),
        (modern(NEW.format(1, 10, 0)), 6, "e = 0 iff s = 0"),
        (modern(NEW.format(3, 10, 5)), 6, "must be 0, 1, 2 or ?"),
        (modern('<element path="/a" exhaustivity="1" rsize="5"/>'), 6, "size must be given"),
        (modern(TOUCHING), 6, "touch are one"),
        (modern('<passage start="/a/text().0" end="/a//b" size="3"/>'), 6, "no step of a path"),
    ],
)
def test_rules_are_errors_when_strict_and_warnings_when_not(file, text, line, says):
    """Every rule of consistency is named with file and line."""
    path = file(text)
    with pytest.raises(FileFormatError, match=says) as refused:
        read_assessments(path)
    assert (refused.value.path, refused.value.line) == (str(path), line)
    with pytest.warns(InexWarning, match=f"{path.name}, line {line}: "):
        assert read_assessments(path, lenient=True).notes


@pytest.mark.filterwarnings("ignore::metaeval.inex.file_rules.InexWarning")
def test_what_becomes_of_broken_judgments_when_lenient(file):
    """Invalid pairs count as (0, 0), repeated elements once, contradicting sizes are capped."""
    judged = read_assessments(file(assessments(PAIR.format(0, 2) + PAIR.format(3, 3))), lenient=True).elements
    assert judged[["exhaustivity", "specificity"]].to_numpy().tolist() == [[0, 0.0]]
    judged = read_assessments(file(modern(NEW.format(1, 10, 20))), lenient=True).elements
    assert judged[["relevant_size", "specificity"]].to_numpy().tolist() == [[10, 1.0]]
    assert read_assessments(file(modern(NEW.format(0, 10, 5))), lenient=True).elements.empty
    assert read_assessments(file(modern(NEW.format(3, 10, 5))), lenient=True).elements["exhaustivity"].tolist() == [2]


def test_a_passage_that_ends_where_it_begins_touches_no_other(file):
    """It meets itself alone; beside one that begins there it is refused."""
    point = '<passage start="/a/text().7" end="/a/text()[1].7" size="1"/>'
    assert read_assessments(file(modern(point))).passages["length"].tolist() == [1]
    with pytest.raises(FileFormatError, match="touch are one"):
        read_assessments(file(modern(point + "\n" + point.replace('.7" s', '.9" s'))))


def test_an_element_without_text_is_dropped(file):
    """Size 0 has no specificity; it is told of and left out, also when strict."""
    with pytest.warns(InexWarning, match="without text"):
        judged = read_assessments(
            file(modern(NEW.format(0, 0, 0) + '<element path="/a/b" exhaustivity="1" size="3" rsize="1"/>'))
        )
    assert judged.elements["path"].tolist() == ["/a[1]/b[1]"]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            modern("", more='<file collection="wikien" name="123456"/>'),
            8,
            "assessed twice on topic 289, first in line 5",
        ),
        ("<assessments><file name='1'/></assessments>", 1, "needs the attribute topic"),
        (modern("<element exhaustivity='1' size='1' rsize='1'/>"), 6, "needs the attribute path"),
        (modern("<elements/>"), 6, "did you mean <element>"),
        (assessments("<path path='/a' specificity='1'/>"), 3, "needs the attribute exhaustiveness or"),
        (
            assessments("<path path='/a' exhaustiveness='1' specificity='high'/>"),
            3,
            "specificity must be a whole number",
        ),
        (assessments(OLD.format(1, "X")), 3, "coverage must be N, L, S or E, not 'X'"),
        (
            assessments(PAIR.format(1, 1) + "\n" + OLD.format(1, "E")),
            4,
            "on the scale of 2002, those before are on that of 2003",
        ),
        (assessments("<file/>"), 3, "<file> may hold"),
        (BOMB, 1, "declares an entity"),
    ],
)
def test_bad_assessments_are_refused_with_their_line(file, text, line, says):
    """What cannot be read at all is an error with file and line."""
    with pytest.raises(FileFormatError, match=says) as refused:
        read_assessments(file(text))
    assert refused.value.line == line


def test_pools(file):
    """A pool lists elements, passages and documents without either."""
    text = (
        '<pool topic="289">\n<file file="d1"><path path="/a/b"/>\n'
        '<passage start="/a/text().0" end="/a/text().4"/></file>\n<file file="d2"/></pool>'
    )
    assert read_pool(file(text)).to_numpy().tolist() == [
        ["289", "d1", "/a[1]/b[1]", "", 2],
        ["289", "d1", "/a[1]/text()[1].0", "/a[1]/text()[1].4", 3],
        ["289", "d2", "", "", 4],
    ]
    with pytest.raises(FileFormatError, match="attribute topic"):
        read_pool(file("<pool/>"))
