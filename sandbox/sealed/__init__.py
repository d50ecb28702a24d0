"""Code of the fork server and its children: started by path, alone, without the rest of Gapsmith."""
