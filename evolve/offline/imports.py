"""The imports that a program may get when an operator writes what needs them."""

from __future__ import annotations

NUMPY = "import numpy as np"
IMPORTS = {"np": NUMPY, "random": "import random", "math": "import math"}
"""Name → the import that a text gets when it comes to need it."""
