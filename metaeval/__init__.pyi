from .scores import Scores as Scores
from .scores import as_scores as as_scores
from .tests_stat.paired_t import paired_t_test as paired_t_test
from .tests_stat.result import PairwiseResult as PairwiseResult
