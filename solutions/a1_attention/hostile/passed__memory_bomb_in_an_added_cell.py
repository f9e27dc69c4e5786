# Memory without end, in an added cell.
# %%
everything = [bytearray(1 << 24)]
while True:
    everything.append(bytearray(1 << 24))
