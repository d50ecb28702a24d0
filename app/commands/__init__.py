"""Verbs of the command line: one file per verb, named after it.

Beside them stands what several verbs share: options (`common`), the terminal (`terminal`), files that verbs
write (`files`), runs that they open (`records`), arguments as a configuration (`flags`), a search under a
live view (`searching`) and its results (`results`).
"""
