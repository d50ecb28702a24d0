"""Problems: instances, feasibility, objective, start programs and baselines. Pure, without solvers."""
