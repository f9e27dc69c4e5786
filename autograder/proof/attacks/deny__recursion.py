# Recursion without an end, and without a limit.
import sys

sys.setrecursionlimit(1 << 30)


def deeper(x):
    return [deeper(each) for each in [x]]


deeper(1)
