# Each call ends the process.
# may cost points
import os


def strike():
    os._exit(0)
