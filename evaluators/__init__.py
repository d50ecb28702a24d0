"""From objective to optimality gap: references, solvers, scores and statistics."""
