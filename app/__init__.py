"""The application: names become objects, verbs run them, views show what came of it."""
