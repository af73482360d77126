from metaeval.inex.simulation import SimulatedInex as SimulatedInex

from .collection import SimulatedCollection as SimulatedCollection
from .collection import simulate_collection as simulate_collection
from .scores import Population as Population
from .scores import simulate_population as simulate_population
from .scores import simulate_scores as simulate_scores
from .votes import simulate_votes as simulate_votes
