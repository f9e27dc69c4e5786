"""The roster's names in nbgrader's gradebook, where its formgrader and exports look for them."""

from autograder.course import Roster, in_two
from autograder.export.opening import open_gradebook

__all__ = ["enter_names"]


def enter_names(roster: Roster, db_url: str, only: str | None = None) -> None:
    """Enter names and e-mail addresses where the gradebook has none; those that are there stay.

    only: of this student, whom the gradebook has. Raises GradebookError.
    """
    if not roster.people:
        return
    with open_gradebook(db_url) as gradebook:
        for student in gradebook.students if only is None else [gradebook.find_student(only)]:
            if person := roster.people.get(student.id):
                first, last = in_two(person.full_name)  # nbgrader shows no other names
                student.first_name = student.first_name or person.first_name or first or None
                student.last_name = student.last_name or person.last_name or last or None
                student.email = student.email or person.email or None
        gradebook.db.commit()
