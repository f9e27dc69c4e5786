"""What is known of a mistake that no fault explains."""
