"""Pictures of a campaign, made once by matplotlib for papers and for the report."""
