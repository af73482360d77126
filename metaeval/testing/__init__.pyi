from .examination import MetricExamination as MetricExamination
from .examination import check_metric as check_metric
from .examination import examine_metric as examine_metric
from .simulated import simulated_collections as simulated_collections
from .spoiled import spoiled_translations as spoiled_translations
