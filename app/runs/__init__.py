"""A run is read from its store: names, candidates, figures, claims."""
