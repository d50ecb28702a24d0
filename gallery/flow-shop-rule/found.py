import numpy as np

def priority(end: np.ndarray, bound: np.ndarray, idle: np.ndarray, weighted_idle: np.ndarray, waiting: np.ndarray, advance: np.ndarray, slope: np.ndarray, work: np.ndarray, first_machine: np.ndarray, last_machine: np.ndarray, bottleneck: np.ndarray, progress: float, machines: float, mean_processing: float) -> np.ndarray:
    return -(0.1939 * slope) + 0.2542 * weighted_idle
