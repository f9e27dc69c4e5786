"""One part of so many of what is tried, for machines that share the work or have little time."""

import zlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Shard:
    """The `number`th part of so many, from 1; the whole when there is one.

    It is dealt by name: what is in it does not hang on what else there is.
    """

    number: int = 1
    of: int = 1

    @classmethod
    def read(cls, text: str) -> "Shard":
        """One that is written as 2/3. Raises ValueError, which says what it must be."""
        number, _, of = text.partition("/")
        numbers = number.isdecimal() and of.isdecimal()
        if not numbers or not 1 <= int(number) <= int(of):
            raise ValueError(f"must be a part of so many, such as 2/3; got {text!r}")
        return cls(int(number), int(of))

    def has(self, name: str) -> bool:
        """Whether what bears this name is in it."""
        return zlib.crc32(name.encode()) % self.of == self.number - 1


ALL = Shard()
