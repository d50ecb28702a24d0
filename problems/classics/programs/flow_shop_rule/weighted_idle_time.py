"""Least weighted idle time (Liu and Reeves 2001, doi:10.1016/S0377-2217(00)00137-5)."""

import numpy as np


def priority(
    end: np.ndarray,
    bound: np.ndarray,
    idle: np.ndarray,
    weighted_idle: np.ndarray,
    waiting: np.ndarray,
    advance: np.ndarray,
    slope: np.ndarray,
    work: np.ndarray,
    first_machine: np.ndarray,
    last_machine: np.ndarray,
    bottleneck: np.ndarray,
    progress: float,
    machines: float,
    mean_processing: float,
) -> np.ndarray:
    """Early machines and early places weigh more."""
    return weighted_idle
