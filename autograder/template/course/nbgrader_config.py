"""nbgrader's configuration of this course: `nbgrader` and the formgrader read it."""

c = get_config()  # noqa: F821 # defined by nbgrader when it reads this file

c.CourseDirectory.course_id = "course-id"
# What students get is built by `autograder release`, from solutions/; it is what the formgrader
# lists, and its button for generating an assignment does the same.
c.CourseDirectory.release_directory = "assignments"
c.CourseDirectory.source_directory = "assignments"
c.GenerateAssignment.exporter_class = "autograder.nbgrader.Release"

# `nbgrader autograde` gives the grades of `autograder grade`: see autograder/nbgrader/.
c.Autograde.exporter_class = "autograder.nbgrader.Submissions"
c.Autograde.sanitize_preprocessors = ["nbgrader.preprocessors.CheckCellMetadata"]
c.Autograde.autograde_preprocessors = [
    "autograder.nbgrader.Grade",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# What late work costs, on both roads: what course.yml says under `late`, or what a class of yours
# in late.py, beside this file, says.
c.AssignLatePenalties.plugin_class = "autograder.nbgrader.LatePolicy"
# c.AssignLatePenalties.plugin_class = "late.HalfAPointADay"

# Of what students write, nothing runs in the browser of whoever reads it.
c.HTMLExporter.filters = {"markdown2html": "autograder.nbgrader.markdown_without_html"}
