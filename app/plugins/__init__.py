"""Plug-ins come in here: names, files and packages become problems."""
