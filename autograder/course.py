"""The manifest: course.yml read into Course, Assignment and Item (skeleton)."""
