"""Runs untrusted programs in sealed processes; knows nothing of scoring or of problems."""
