# Files and folders without end.
import os

number = 0
while True:
    number += 1
    os.mkdir(f"folder{number}")
    with open(f"folder{number}/file", "wb") as file:
        file.write(bytes(1 << 16))
