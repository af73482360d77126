"""Let the fuzzers import one another: they are no package, and a long run outside pytest uses them too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
