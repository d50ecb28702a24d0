"""The application: names become objects, verbs run them, views show the results."""
