# Exceptions with messages without end, in each call.
# may cost points
class Wordy(Exception):
    def __str__(self):
        return "x\n\x1b[31m<script>\ud800" * (1 << 20)


def strike():
    try:
        raise Wordy from Wordy()
    except Wordy as error:
        raise ExceptionGroup("y" * (1 << 20), [error] * 1000) from error
