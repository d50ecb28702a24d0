"""Slope index: jobs whose times grow from machine to machine first (Palmer 1965)."""

import numpy as np


def priority(times: np.ndarray) -> np.ndarray:
    """Times on the last machines less times on the first ones."""
    machines = times.shape[1]
    slope: np.ndarray = times @ (2.0 * np.arange(machines) - machines + 1)
    return slope
