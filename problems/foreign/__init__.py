"""Tasks in the format of other tools: a folder with a start program, an evaluator and a configuration."""
