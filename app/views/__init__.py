"""What people see: terminal tables, reports, pictures."""
