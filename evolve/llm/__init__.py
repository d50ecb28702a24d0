"""Language models: one small port, its providers, and the caller that pays, retries and records."""
