import numpy as np

def priority(start: np.ndarray, end: np.ndarray, size: np.ndarray, floor: np.ndarray, load: np.ndarray, unplaced_load: np.ndarray, stack: np.ndarray, hole: np.ndarray, others: np.ndarray, peak: float, top: float, progress: float) -> np.ndarray:
    return floor - others
