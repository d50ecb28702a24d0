"""Text for language models: templates and the builder that fills them."""
