from .document_codes import Judgments as Judgments
from .documents import Collection as Collection
from .documents import JudgedCollection as JudgedCollection
from .pools import PoolRuns as PoolRuns
from .statistics import CollectionStatistics as CollectionStatistics
