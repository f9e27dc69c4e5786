# Sockets of every kind; a name is looked up.
import socket

KINDS = [socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET]
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, 16, 17, 40):
    for kind in KINDS:
        try:
            socket.socket(family, kind)
        except OSError:
            continue
        raise AssertionError(LOOT)
for way in (lambda: socket.create_connection(("127.0.0.1", 22), 1), lambda: socket.socketpair(1, 2)):
    try:
        way()
    except OSError:
        continue
    raise AssertionError(LOOT)
