"""The system of record of a campaign: one SQLite file, one writer, any number of readers."""
