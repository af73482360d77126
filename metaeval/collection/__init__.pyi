from .base import JudgedCollection as JudgedCollection
from .documents import Collection as Collection
from .documents import CollectionStatistics as CollectionStatistics
from .ranking import Judgments as Judgments
