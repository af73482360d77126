"""Names of the arrays that most numerical code takes and returns."""

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]
type Flags = NDArray[np.bool_]
