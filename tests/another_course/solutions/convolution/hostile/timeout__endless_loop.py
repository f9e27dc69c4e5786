# A loop that never ends.
# fails: windows, windows_too_wide

# %% solution="windows"
def windows(x, k):
    while True:
        pass
