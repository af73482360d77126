from metaeval.inex.judges import JudgeInput as JudgeInput
from metaeval.inex.judges import read_judges as read_judges
from metaeval.questions.human.study_campaign_files import Campaign as Campaign
from metaeval.questions.human.study_campaign_files import read_campaign as read_campaign
from metaeval.table.vote_set import Votes as Votes
from metaeval.table.votes import as_votes as as_votes

from .groups import groups_from_regex as groups_from_regex
from .interop import collection_from as collection_from
