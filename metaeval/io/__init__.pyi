from .groups import groups_from_regex as groups_from_regex
from .interop import collection_from as collection_from
