# It calls home.
# %%
import socket
import urllib.request

WAYS = {
    "tcp": lambda: socket.create_connection(("1.1.1.1", 53), 0.5),
    "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("1.1.1.1", 53)),
    "unix": lambda: socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket"),
    "listen": lambda: socket.create_server(("127.0.0.1", 0)),
    "abstract": lambda: socket.socket(socket.AF_UNIX).bind("\0abstract"),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "name": lambda: socket.gethostbyname("example.org"),
    "url": lambda: urllib.request.urlopen("http://127.0.0.1:80", timeout=0.5),
}
got = []
for name, way in WAYS.items():
    try:
        way()
    except OSError:
        continue
    got.append(name)
if got:
    raise RuntimeError(f"LOOT: {got}")
