"""Where results go: the gradebook, feedback pages, the class page."""
