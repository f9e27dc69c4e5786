"""nbgrader's configuration of this course: `nbgrader` and the formgrader read it."""

c = get_config()  # noqa: F821 # defined by nbgrader when it reads this file

c.CourseDirectory.course_id = "transformer-from-scratch"
# What students get is built by `autograder release`, from solutions/.
c.CourseDirectory.release_directory = "assignments"
