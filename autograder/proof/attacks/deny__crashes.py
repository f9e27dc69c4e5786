# Each call reads at address zero.
# may cost points
import ctypes


def strike():
    ctypes.string_at(0)
