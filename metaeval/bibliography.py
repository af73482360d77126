# ruff: noqa: RUF001, RUF002 - typographic dashes are meant for people
"""Publications by key: what ``cite=`` leads to, what pages list and what docs/bibliography.md is made from.

A key is the first author's surname in small letters and the year. Where only part of a reference is known, only that
part is here.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from metaeval.errors import UnknownNameError

__all__ = ["BY_SUBJECT", "PUBLICATIONS", "Publication", "cited", "find_publication", "publications", "source_of"]

_TOGETHER = 2


class Publication(NamedTuple):
    """A publication.

    Attributes
    ----------
    key : str
    authors : str
        Surname, initials, one after the other: "Sakai, T.; Kando, N.".
    year : int
    title : str
    venue : str
        Conference with its year, journal or publisher.
    volume : str
        Of a journal or series, with its issue: "28(4)".
    pages : str
        Or the number of the article.
    doi : str
    link : str
        Where to read what has no DOI.
    """

    key: str
    authors: str
    year: int
    title: str = ""
    venue: str = ""
    volume: str = ""
    pages: str = ""
    doi: str = ""
    link: str = ""

    @property
    def cited(self) -> str:
        """How a sentence cites it in brackets.

        Examples
        --------
        >>> PUBLICATIONS["sakai2006"].cited, PUBLICATIONS["sakai2008"].cited, PUBLICATIONS["pal2010"].cited
        ('Sakai, 2006', 'Sakai and Kando, 2008', 'Pal et al., 2010')
        """
        names = [name.split(", ")[0] for name in self.authors.split("; ")]
        who = " and ".join(names) if len(names) <= _TOGETHER else f"{names[0]} et al."
        return f"{who}, {self.year}"

    @property
    def full(self) -> str:
        """The whole reference.

        Examples
        --------
        >>> PUBLICATIONS["zobel1998"].full[:57]
        'Zobel, J. (1998). How reliable are the results of large-s'
        """
        *others, last = self.authors.split("; ")
        who = f"{', '.join(others)} and {last}" if others else last
        title = self.title if self.title.endswith("?") else f"{self.title}." * bool(self.title)
        where = ", ".join(part for part in (f"{self.venue} {self.volume}".strip(), self.pages) if part)
        return " ".join(part for part in (f"{who} ({self.year}).", title, f"{where}." * bool(where)) if part)

    @property
    def address(self) -> str:
        """Where it can be read; empty if that is not known."""
        return f"https://doi.org/{self.doi}" if self.doi else self.link


_JASIST = "Journal of the American Society for Information Science and Technology"
_JASA = "Journal of the American Statistical Association"
_JRSS = "Journal of the Royal Statistical Society B"
_TOIS = "ACM Transactions on Information Systems"
_ANNALS = "Annals of Mathematical Statistics"

BY_SUBJECT: Mapping[str, tuple[Publication, ...]] = MappingProxyType(
    {
        "Discriminative power": (
            Publication(
                "sakai2006",
                "Sakai, T.",
                2006,
                "Evaluating evaluation metrics based on the bootstrap",
                "SIGIR 2006",
                pages="525–532",
                doi="10.1145/1148170.1148261",
            ),
            Publication(
                "sakai2008",
                "Sakai, T.; Kando, N.",
                2008,
                "On information retrieval metrics designed for evaluation with incomplete relevance assessments",
                "Information Retrieval",
                "11(5)",
                "447–470",
                "10.1007/s10791-008-9059-7",
            ),
            Publication(
                "ogilvie2006",
                "Ogilvie, P.; Lalmas, M.",
                2006,
                "Investigating the exhaustivity dimension in content-oriented XML element retrieval evaluation",
                "CIKM 2006",
                pages="84–93",
                doi="10.1145/1183614.1183631",
            ),
        ),
        "Metrics of ranked documents": (
            Publication(
                "buckley2005",
                "Buckley, C.; Voorhees, E. M.",
                2005,
                "Retrieval system evaluation",
                "TREC: Experiment and Evaluation in Information Retrieval, MIT Press",
                pages="53–78",
            ),
            Publication(
                "chapelle2009",
                "Chapelle, O.; Metzler, D.; Zhang, Y.; Grinspan, P.",
                2009,
                "Expected reciprocal rank for graded relevance",
                "CIKM 2009",
                pages="621–630",
                doi="10.1145/1645953.1646033",
            ),
            Publication(
                "jarvelin2002",
                "Järvelin, K.; Kekäläinen, J.",
                2002,
                "Cumulated gain-based evaluation of IR techniques",
                _TOIS,
                "20(4)",
                "422–446",
                "10.1145/582415.582418",
            ),
            Publication(
                "moffat2008",
                "Moffat, A.; Zobel, J.",
                2008,
                "Rank-biased precision for measurement of retrieval effectiveness",
                _TOIS,
                "27(1)",
                "article 2",
                "10.1145/1416950.1416952",
            ),
            Publication(
                "sakai2007",
                "Sakai, T.",
                2007,
                "Alternatives to bpref",
                "SIGIR 2007",
                pages="71–78",
                doi="10.1145/1277741.1277756",
            ),
            Publication("vanrijsbergen1979", "van Rijsbergen, C. J.", 1979, "Information retrieval"),
            Publication(
                "voorhees1999",
                "Voorhees, E. M.",
                1999,
                "The TREC-8 question answering track report",
                "TREC-8",
                pages="77–82",
            ),
            Publication("voorhees2004", "Voorhees, E. M.", 2004),
            Publication(
                "yilmaz2006",
                "Yilmaz, E.; Aslam, J. A.",
                2006,
                "Estimating average precision with incomplete and imperfect judgments",
                "CIKM 2006",
                pages="102–111",
            ),
        ),
        "Focused retrieval of passages": (
            Publication(
                "kazai2004",
                "Kazai, G.; Lalmas, M.; de Vries, A. P.",
                2004,
                "Reliability tests for the XCG and inex-2002 metrics",
                "INEX 2004, LNCS 3493",
            ),
            Publication(
                "lalmas2007",
                "Lalmas, M.; Kazai, G.; Kamps, J.; Pehcevski, J.; Piwowarski, B.; Robertson, S.",
                2007,
                "INEX 2006 evaluation measures",
                "INEX 2006, LNCS 4518",
                doi="10.1007/978-3-540-73888-6_3",
            ),
            Publication(
                "kamps2008",
                "Kamps, J.; Pehcevski, J.; Kazai, G.; Lalmas, M.; Robertson, S.",
                2008,
                "INEX 2007 evaluation measures",
                "INEX 2007, LNCS 4862",
                pages="24–33",
                doi="10.1007/978-3-540-85902-4_2",
            ),
            Publication(
                "piwowarski2008",
                "Piwowarski, B.; Trotman, A.; Lalmas, M.",
                2008,
                "Sound and complete relevance assessment for XML retrieval",
                _TOIS,
                "27(1)",
                "article 1",
                "10.1145/1416950.1416951",
            ),
            Publication(
                "pal2010",
                "Pal, S.; Mitra, M.; Kamps, J.",
                2010,
                "Evaluation effort, reliability and reusability in XML retrieval",
                _JASIST,
                "62(2)",
                "375–394",
                "10.1002/asi.21403",
            ),
            Publication(
                "devries2004",
                "de Vries, A. P.; Kazai, G.; Lalmas, M.",
                2004,
                "Tolerance to irrelevance: a user-effort oriented evaluation of retrieval systems without predefined "
                "retrieval unit",
                "RIAO 2004",
            ),
            Publication(
                "koolen2010",
                "Koolen, M.",
                2010,
                "inex_eval, version 3.1",
                "Evaluation program of the INEX ad hoc track",
            ),
            Publication(
                "arvola2011",
                "Arvola, P.; Geva, S.; Kamps, J.; Schenkel, R.; Trotman, A.; Vainio, J.",
                2011,
                "Overview of the INEX 2010 ad hoc track",
                "INEX 2010, LNCS 6932",
            ),
        ),
        "Focused retrieval of elements": (
            Publication(
                "kazai2006",
                "Kazai, G.; Lalmas, M.",
                2006,
                "eXtended cumulated gain measures for the evaluation of content-oriented XML retrieval",
                _TOIS,
                "24(4)",
                "503–542",
            ),
            Publication(
                "goevert2006",
                "Gövert, N.; Fuhr, N.; Lalmas, M.; Kazai, G.",
                2006,
                "Evaluating the effectiveness of content-oriented XML retrieval methods",
                "Information Retrieval",
                "9(6)",
                "699–722",
            ),
            Publication(
                "goevert2002",
                "Gövert, N.; Kazai, G.",
                2002,
                "Overview of the Initiative for the Evaluation of XML retrieval (INEX) 2002",
                "INEX 2002",
            ),
            Publication(
                "pehcevski2005",
                "Pehcevski, J.; Thom, J. A.",
                2005,
                "HiXEval: highlighting XML retrieval evaluation",
                "INEX 2005, LNCS 3977",
            ),
            Publication(
                "raghavan1989",
                "Raghavan, V.; Bollmann, P.; Jung, G. S.",
                1989,
                "A critical investigation of recall and precision as measures of retrieval system performance",
                _TOIS,
                "7(3)",
                "205–229",
            ),
            Publication(
                "manning2008",
                "Manning, C. D.; Raghavan, P.; Schütze, H.",
                2008,
                "Introduction to Information Retrieval, section 10.4",
            ),
        ),
        "Fewer judgments": (
            Publication(
                "buckley2004",
                "Buckley, C.; Voorhees, E. M.",
                2004,
                "Retrieval evaluation with incomplete information",
                "SIGIR 2004",
                pages="25–32",
                doi="10.1145/1008992.1009000",
            ),
            Publication(
                "zobel1998",
                "Zobel, J.",
                1998,
                "How reliable are the results of large-scale information retrieval experiments?",
                "SIGIR 1998",
                pages="307–314",
                doi="10.1145/290941.291014",
            ),
            Publication(
                "buettcher2007",
                "Büttcher, S.; Clarke, C. L. A.; Yeung, P. C. K.; Soboroff, I.",
                2007,
                "Reliable information retrieval evaluation with incomplete and biased judgements",
                "SIGIR 2007",
                pages="63–70",
                doi="10.1145/1277741.1277755",
            ),
        ),
        "Agreement of rankings": (
            Publication(
                "kendall1945",
                "Kendall, M. G.",
                1945,
                "The treatment of ties in ranking problems",
                "Biometrika",
                "33(3)",
                "239–251",
            ),
            Publication(
                "yilmaz2008",
                "Yilmaz, E.; Aslam, J. A.; Robertson, S.",
                2008,
                "A new rank correlation coefficient for information retrieval",
                "SIGIR 2008",
                pages="587–594",
                doi="10.1145/1390334.1390435",
            ),
            Publication(
                "urbano2017",
                "Urbano, J.; Marrero, M.",
                2017,
                "The treatment of ties in AP correlation",
                "ICTIR 2017",
                pages="321–324",
                doi="10.1145/3121050.3121106",
            ),
            Publication(
                "webber2010",
                "Webber, W.; Moffat, A.; Zobel, J.",
                2010,
                "A similarity measure for indefinite rankings",
                _TOIS,
                "28(4)",
                "article 20",
                "10.1145/1852102.1852106",
            ),
            Publication(
                "corsi2024",
                "Corsi, M.; Urbano, J.",
                2024,
                "The treatment of ties in rank-biased overlap",
                "SIGIR 2024",
                doi="10.1145/3626772.3657700",
            ),
        ),
        "Significance tests": (
            Publication("student1908", "Student", 1908, venue="Biometrika", volume="6", pages="1–25"),
            Publication("fisher1935", "Fisher, R. A.", 1935, "The Design of Experiments", "Oliver and Boyd"),
            Publication(
                "wilcoxon1945",
                "Wilcoxon, F.",
                1945,
                "Individual comparisons by ranking methods",
                "Biometrics Bulletin",
                "1(6)",
                "80–83",
                "10.2307/3001968",
            ),
            Publication("pratt1959", "Pratt", 1959, venue=_JASA, volume="54", pages="655–667"),
            Publication("cureton1967", "Cureton", 1967, venue=_JASA, volume="62", pages="1068–1069"),
            Publication(
                "efron1987",
                "Efron, B.",
                1987,
                "Better bootstrap confidence intervals",
                _JASA,
                "82",
            ),
            Publication(
                "efron1993", "Efron, B.; Tibshirani, R. J.", 1993, "An introduction to the bootstrap", "Chapman & Hall"
            ),
            Publication("conover1999", "Conover", 1999, "Practical Nonparametric Statistics"),
            Publication(
                "sanderson2005",
                "Sanderson, M.; Zobel, J.",
                2005,
                "Information retrieval system evaluation: effort, sensitivity, and reliability",
                "SIGIR 2005",
                pages="162–169",
                doi="10.1145/1076034.1076064",
            ),
            Publication(
                "smucker2007",
                "Smucker, M. D.; Allan, J.; Carterette, B.",
                2007,
                "A comparison of statistical significance tests for information retrieval evaluation",
                "CIKM 2007",
                pages="623–632",
                doi="10.1145/1321440.1321528",
            ),
            Publication(
                "carterette2015",
                "Carterette, B.",
                2015,
                "Bayesian inference for information retrieval evaluation",
                "ICTIR 2015",
                doi="10.1145/2808194.2809469",
            ),
            Publication(
                "benavoli2017",
                "Benavoli; Corani; Demšar; Zaffalon",
                2017,
                venue="Journal of Machine Learning Research",
                volume="18(77)",
            ),
            Publication(
                "urbano2019",
                "Urbano, J.; Lima, H.; Hanjalic, A.",
                2019,
                "Statistical significance testing in information retrieval: an empirical analysis of type I, type II "
                "and type III errors",
                "SIGIR 2019",
                pages="505–514",
                doi="10.1145/3331184.3331259",
            ),
            Publication(
                "ihemelandu2023",
                "Ihemelandu, N.; Ekstrand, M. D.",
                2023,
                "Inference at scale: significance testing for large search and recommendation experiments",
                "SIGIR 2023",
                link="https://arxiv.org/abs/2305.02461",
            ),
        ),
        "Many pairs at once": (
            Publication("tukey1953", "Tukey", 1953, "The Problem of Multiple Comparisons"),
            Publication(
                "dunn1961",
                "Dunn, O. J.",
                1961,
                "Multiple comparisons among means",
                _JASA,
                "56(293)",
                "52–64",
                "10.1080/01621459.1961.10482090",
            ),
            Publication(
                "holm1979",
                "Holm, S.",
                1979,
                "A simple sequentially rejective multiple test procedure",
                "Scandinavian Journal of Statistics",
                "6(2)",
                "65–70",
            ),
            Publication(
                "westfall1993", "Westfall, P. H.; Young, S. S.", 1993, "Resampling-based multiple testing", "Wiley"
            ),
            Publication(
                "benjamini1995",
                "Benjamini, Y.; Hochberg, Y.",
                1995,
                "Controlling the false discovery rate: a practical and powerful approach to multiple testing",
                _JRSS,
                "57(1)",
                "289–300",
                "10.1111/j.2517-6161.1995.tb02031.x",
            ),
            Publication(
                "benjamini2001",
                "Benjamini, Y.; Yekutieli, D.",
                2001,
                "The control of the false discovery rate in multiple testing under dependency",
                "The Annals of Statistics",
                "29(4)",
                "1165–1188",
                "10.1214/aos/1013699998",
            ),
            Publication("ge2003", "Ge; Dudoit; Speed", 2003, venue="Test", volume="12", pages="1–77"),
            Publication(
                "carterette2012",
                "Carterette, B.",
                2012,
                "Multiple testing in statistical analysis of systems-based information retrieval experiments",
                _TOIS,
                "30(1)",
                "article 4",
                "10.1145/2094072.2094076",
            ),
            Publication("boytsov2013", "Boytsov; Belova; Westfall", 2013, venue="SIGIR 2013", pages="403–412"),
        ),
        "Error rates and topic counts": (
            Publication(
                "buckley2000",
                "Buckley, C.; Voorhees, E. M.",
                2000,
                "Evaluating evaluation measure stability",
                "SIGIR 2000",
                pages="33–40",
                doi="10.1145/345508.345543",
            ),
            Publication(
                "voorhees2002",
                "Voorhees, E. M.; Buckley, C.",
                2002,
                "The effect of topic set size on retrieval experiment error",
                "SIGIR 2002",
                pages="316–323",
                doi="10.1145/564376.564432",
            ),
            Publication(
                "hoeffding1948",
                "Hoeffding",
                1948,
                "A class of statistics with asymptotically normal distribution",
                _ANNALS,
                "19",
            ),
            Publication(
                "owen1956",
                "Owen, D. B.",
                1956,
                "Tables for computing bivariate normal probabilities",
                _ANNALS,
                "27",
                "1075–1090",
                "10.1214/aoms/1177728074",
            ),
            Publication(
                "west1993",
                "West, M.",
                1993,
                "Approximating posterior distributions by mixtures",
                _JRSS,
                "55",
                "409–422",
            ),
            Publication(
                "hartlap2007",
                "Hartlap, J.; Simon, P.; Schneider, P.",
                2007,
                "Why your model parameter confidences might be too optimistic",
                "Astronomy and Astrophysics",
                "464",
                "399–404",
                "10.1051/0004-6361:20066170",
            ),
            Publication(
                "sakai2016",
                "Sakai, T.",
                2016,
                "Topic set size design",
                "Information Retrieval Journal",
                "19",
                "256–283",
                "10.1007/s10791-015-9273-z",
            ),
        ),
        "Simulated scores": (
            Publication(
                "urbano2013",
                "Urbano, J.; Marrero, M.; Martín",
                2013,
                "On the measurement of test collection reliability",
                "SIGIR 2013",
            ),
        ),
        "Agreement of assessors, and of metrics with people": (
            Publication(
                "voorhees2000",
                "Voorhees, E. M.",
                2000,
                "Variations in relevance judgments and the measurement of retrieval effectiveness",
                "Information Processing and Management",
                "36(5)",
                "697–716",
                "10.1016/S0306-4573(00)00010-8",
            ),
            Publication(
                "cohen1960",
                "Cohen, J.",
                1960,
                "A coefficient of agreement for nominal scales",
                "Educational and Psychological Measurement",
                "20",
                "37–46",
            ),
            Publication("cohen1968", "Cohen, J.", 1968, "Weighted kappa", "Psychological Bulletin", "70", "213–220"),
            Publication(
                "krippendorff2011",
                "Krippendorff, K.",
                2011,
                "Computing Krippendorff's alpha-reliability",
                "University of Pennsylvania",
            ),
            Publication("williams1959", "Williams, E. J.", 1959, "Regression Analysis", "Wiley"),
            Publication(
                "graham2014",
                "Graham, Y.; Baldwin, T.",
                2014,
                "Testing for significance of increased correlation with human judgment",
                "EMNLP 2014",
                pages="172–176",
                doi="10.3115/v1/D14-1020",
            ),
            Publication(
                "mathur2020",
                "Mathur, N.; Wei, J.; Freitag, M.; Ma, Q.; Bojar, O.",
                2020,
                "Results of the WMT20 metrics shared task",
                "WMT 2020",
                pages="688–725",
            ),
            Publication(
                "kocmi2021",
                "Kocmi, T.; Federmann, C.; Grundkiewicz, R.; Junczys-Dowmunt, M.; Matsushita, H.; Menezes, A.",
                2021,
                "To ship or not to ship",
                "WMT 2021",
                pages="478–494",
            ),
            Publication(
                "deutsch2021",
                "Deutsch, D.; Dror, R.; Roth, D.",
                2021,
                "A statistical analysis of summarization evaluation metrics using resampling methods",
                "Transactions of the Association for Computational Linguistics",
                "9",
                "1132–1146",
                "10.1162/tacl_a_00417",
            ),
            Publication(
                "bhandari2020",
                "Bhandari, M.; Gour, P. N.; Ashfaq, A.; Liu, P.; Neubig, G.",
                2020,
                "Re-evaluating evaluation in text summarization",
                "EMNLP 2020",
                pages="9347–9359",
            ),
        ),
    }
)
"""Every publication under what it is about, in the order of docs/bibliography.md."""

PUBLICATIONS: Mapping[str, Publication] = MappingProxyType(
    {publication.key: publication for group in BY_SUBJECT.values() for publication in group}
)
"""Key to `Publication`."""


def find_publication(key: str) -> Publication:
    """Return the publication of that key.

    Raises
    ------
    UnknownNameError
        If there is none; the message lists the nearest keys.

    Examples
    --------
    >>> find_publication("holm1979").year
    1979
    """
    if key not in PUBLICATIONS:
        raise UnknownNameError("publication", key, PUBLICATIONS)
    return PUBLICATIONS[key]


def publications(keys: Iterable[str]) -> list[Publication]:
    """Return the publications of these keys, each once, as a list of references has them: by author.

    Examples
    --------
    >>> [one.key for one in publications(["sakai2008", "holm1979", "sakai2008"])]
    ['holm1979', 'sakai2008']
    """
    return sorted(map(find_publication, dict.fromkeys(keys)), key=lambda publication: publication.full)


def cited(keys: Iterable[str]) -> str:
    """Return how a sentence cites these, with a space before the bracket; nothing where there is nothing to cite.

    Examples
    --------
    >>> cited(["sakai2006", "sakai2008"]), cited([])
    (' (Sakai, 2006; Sakai and Kando, 2008)', '')
    """
    found = [find_publication(key).cited for key in keys]
    return f" ({'; '.join(found)})" if found else ""


def source_of(cite: str) -> str:
    """Return the reference that a metric's ``cite=`` means: that of a key, else the text itself.

    Examples
    --------
    >>> source_of("student1908"), source_of("my thesis")
    ('Student (1908). Biometrika 6, 1–25.', 'my thesis')
    """
    return PUBLICATIONS[cite].full if cite in PUBLICATIONS else cite
