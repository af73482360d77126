from metaeval.agreement.assessed_pools import pool_growth as pool_growth
from metaeval.agreement.assessments import character_ratios as character_ratios
from metaeval.agreement.assessments import element_agreement as element_agreement
from metaeval.agreement.assessments import passage_agreement as passage_agreement
from metaeval.collection.elements import ElementCollection as ElementCollection
from metaeval.collection.elements import element_collection as element_collection
from metaeval.collection.inex import Assessments as Assessments
from metaeval.collection.inex import Submission as Submission
from metaeval.collection.passages import PassageCollection as PassageCollection
from metaeval.collection.passages import passage_collection as passage_collection
from metaeval.io.inex import read_assessments as read_assessments
from metaeval.io.inex import read_element_sizes as read_element_sizes
from metaeval.io.inex import read_pool as read_pool
from metaeval.io.inex import read_submission as read_submission
from metaeval.io.inex import read_submissions as read_submissions
from metaeval.io.inex_log import read_assessment_log as read_assessment_log
from metaeval.io.inex_writing import write_assessments as write_assessments
from metaeval.io.inex_writing import write_element_sizes as write_element_sizes
from metaeval.io.inex_writing import write_submission as write_submission
from metaeval.metrics.focused.curves import element_curves as element_curves
from metaeval.metrics.focused.in_context import generalised_precision_curves as generalised_precision_curves
from metaeval.metrics.focused.inex_eval import inex_eval_table as inex_eval_table
from metaeval.metrics.focused.interpolated_precision import (
    interpolated_precision_curves as interpolated_precision_curves,
)
from metaeval.metrics.focused.overlap import run_overlap as run_overlap
from metaeval.simulate.inex import SimulatedInex as SimulatedInex
from metaeval.simulate.inex import simulate_inex as simulate_inex
from metaeval.simulate.reliability_runs import reliability_runs as reliability_runs
from metaeval.studies.assessment import AssessmentStudy as AssessmentStudy
from metaeval.studies.expectations import Preference as Preference
from metaeval.studies.expectations import parse_expectations as parse_expectations
from metaeval.studies.reliability import ReliabilityStudy as ReliabilityStudy
