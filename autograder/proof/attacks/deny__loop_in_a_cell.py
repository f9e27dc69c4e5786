# A cell that never ends.
while True:
    pass
