import numpy as np

def priority(time: float, processing_times: np.ndarray, due_dates: np.ndarray, weights: np.ndarray) -> np.ndarray:
    slack = np.maximum(due_dates - 0.8378 * processing_times - time, 0.0)
    return slack / (1.381 * processing_times.mean()) + np.log(processing_times / weights)
