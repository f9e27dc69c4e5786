"""The island where student code runs; it imports nothing of autograder but itself."""
