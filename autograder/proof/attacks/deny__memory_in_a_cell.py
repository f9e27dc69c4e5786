# A cell takes all memory there is, and keeps it.
kept = []
while True:
    kept.append(bytearray(1 << 24))
