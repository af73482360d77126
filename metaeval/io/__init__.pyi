from .groups import groups_from_regex as groups_from_regex
from .interop import collection_from as collection_from
from .judges import JudgeInput as JudgeInput
from .judges import read_judges as read_judges
