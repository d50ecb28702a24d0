"""What programs say, read from their text alone: kinds, names, places, and shorter forms."""
