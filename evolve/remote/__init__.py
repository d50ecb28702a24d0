"""Work that is done in other processes: what the lines say, who sends them and who answers."""
