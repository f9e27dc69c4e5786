"""What is checked: one file an assignment, plain pytest functions."""
