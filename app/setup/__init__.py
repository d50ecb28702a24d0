"""A campaign is prepared: instances, references, baselines, evaluator."""
