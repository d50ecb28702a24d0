import numpy as np

def priority(start: np.ndarray, processing: np.ndarray, work_left: np.ndarray, operations_left: np.ndarray, work_done: np.ndarray, job_ready: np.ndarray, next_processing: np.ndarray, next_machine_free: np.ndarray, next_machine_work: np.ndarray, route_work: np.ndarray, machine_work: float, progress: float, mean_processing: float) -> np.ndarray:
    return ((start - start.min()) / np.maximum(1, operations_left) + (processing + 1.09) / work_left) / np.maximum(1, operations_left) + np.where((processing + 1.09) / work_left < 2.84, 3.76 * ((processing + 1.09) / work_left), (processing + 1.09) / work_left)
