from .collection import SimulatedCollection as SimulatedCollection
from .collection import simulate_collection as simulate_collection
from .inex import SimulatedInex as SimulatedInex
from .scores import Population as Population
from .scores import simulate_population as simulate_population
from .scores import simulate_scores as simulate_scores
