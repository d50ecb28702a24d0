"""Pictures of a campaign, drawn with matplotlib for papers and for the report."""
