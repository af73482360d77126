"""What is published of every year of INEX: articles, scales, relevant documents, pools and agreement."""

from typing import Any, NamedTuple

from metaeval.base.checks import check_number, refused
from metaeval.inex.assessments import Scale
from metaeval.inex.simulated_articles import IEEE, WIKIPEDIA, Template


class InexCampaign(NamedTuple):
    """What the papers say of a year."""

    scale: Scale
    template: Template
    elements: float
    relevant: float
    exponent: float
    most_passages: int
    elemental: float
    pool: int
    document_agreement: float
    passage_agreement: float
    second: int
    document_kappa: float | None = None
    """Of two assessors' relevant documents, instead of their agreement."""
    longer: float = 0.35
    """Chance that a passage ends with a paragraph."""
    sections: float = 0.15
    """Whole sections among the passages that are whole elements."""


_OLD = InexCampaign("2003", IEEE, 160, 60.7, 1.8, 49, 0.36, 499, 0.27, 0.23, 12)
_NEW = InexCampaign("passages", WIKIPEDIA, 161, 60.4, 2.3, 74, 0.45, 600, 0.57, 0.31, 15)
CAMPAIGNS = {
    2002: _OLD._replace(scale="2002", second=2),
    2003: _OLD,
    2004: _OLD,
    2005: _OLD._replace(scale="2005", document_agreement=0.39, second=5),
    2006: _NEW._replace(scale="2005", relevant=50, pool=500),
    2007: _NEW,
    2008: _NEW._replace(relevant=69.8),
    2009: _NEW._replace(relevant=71.4),
    2010: _NEW._replace(relevant=105.2),
}


def campaign_of(year: int, said: dict[str, Any], *, n_documents: int | None = None) -> InexCampaign:
    """Take what is published of a year, but for what the caller says.

    With a number of articles, as many of the articles judged are relevant as published, however few they are, two
    assessors agree as far beyond chance as published, and passages of Wikipedia are as long.
    """
    if year not in CAMPAIGNS:
        raise refused("year", f"must be one of {', '.join(map(str, CAMPAIGNS))}, not {year!r}", year)
    campaign = CAMPAIGNS[year]
    if n_documents is not None:
        if said["document_agreement"] is None:
            campaign = campaign._replace(document_kappa=_published_kappa(campaign))
        judged = min(campaign.pool, said["pool"] or campaign.pool, n_documents)
        campaign = campaign._replace(relevant=max(1.0, campaign.relevant * judged / campaign.pool))
        if campaign.template is WIKIPEDIA:
            campaign = campaign._replace(longer=0.2, sections=0.5)
    campaign = campaign._replace(**{name: value for name, value in said.items() if value is not None})
    for name, value in (("elements_per_article", campaign.elements), ("relevant_documents", campaign.relevant)):
        check_number(value, name, least=1)
    for name in ("document_agreement", "passage_agreement"):
        check_number(getattr(campaign, name), name, above=0, most=1)
    if campaign.document_kappa is not None:
        check_number(campaign.document_kappa, "document_kappa", least=0, most=1)
        if said["document_agreement"] is not None:
            raise refused("document_kappa", "and `document_agreement` state the same: give one of them", year)
    return campaign


def _published_kappa(campaign: InexCampaign) -> float:
    """Return κ of two assessors who share what is published of the documents judged, as many of these relevant."""
    relevant = campaign.relevant / campaign.pool
    of_each = 2 * campaign.document_agreement / (1 + campaign.document_agreement)
    return (of_each - relevant) / (1 - relevant)
