"""The evolutionary loop: it knows ports only, never a concrete problem."""
