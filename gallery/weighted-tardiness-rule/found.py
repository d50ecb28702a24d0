import numpy as np

def priority(time: float, processing_times: np.ndarray, due_dates: np.ndarray, weights: np.ndarray) -> np.ndarray:
    slack = np.maximum(due_dates - np.where(processing_times > 1.107, 0.8378 * processing_times, processing_times) - time, 0.0)
    return (slack - 0.0239 * (np.maximum(processing_times, due_dates - time) / weights / np.maximum(1, np.minimum(processing_times[:, None], np.maximum(time + np.cumsum(processing_times) - due_dates, 0.0)).sum(axis=1)) + (slack + np.log(weights)))) / (1.381 * processing_times.mean()) + np.log(processing_times / weights)
