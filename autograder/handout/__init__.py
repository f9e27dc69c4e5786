"""Files that students receive verbatim: torch and numpy only."""
