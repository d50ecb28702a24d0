"""Slope index: jobs whose times grow from machine to machine first (Palmer 1965)."""

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
    """The largest slope comes next."""
    return -slope
