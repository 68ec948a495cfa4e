"""One adapter for each tool."""
