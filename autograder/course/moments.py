"""A date and time as tables of people have it: of a spreadsheet, a learning platform, a program."""

import re
from datetime import datetime, tzinfo

from nbgrader.utils import parse_utc

__all__ = ["moment"]

_SUCH_AS = "a date and time, such as 2027-02-08 23:02 or Monday, 8 February 2027, 11:02 PM"


def moment(text: str, zone: tzinfo | None) -> datetime:
    """What a text says; without an offset it is in this zone. Raises ValueError, saying what it is.

    Which of two numbers is the month is not guessed, nor the time of a day.
    """
    try:
        if ":" not in text:
            raise ValueError("at what time?")
        if re.match(r"\d{4}-\d\d-\d\d", text):
            found = datetime.fromisoformat(re.sub(r" ?UTC$", "+00:00", text).replace(" +", "+"))
        elif re.search("[A-Za-z]{3}", text):
            found = parse_utc(text)
        else:
            raise ValueError("is it the month or the day that is first?")
        return found if found.tzinfo else found.replace(tzinfo=zone)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"must be {_SUCH_AS}; got {text[:60]!r} ({error})") from error
