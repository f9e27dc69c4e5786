# The last window is forgotten, and nothing is refused.
# fails: windows, windows_too_wide

# %% solution="windows"
def windows(x, k):
    rows = [x[..., i : i + k] for i in range(x.shape[-1] - k)]
    return torch.stack(rows, dim=-2) if rows else x[..., :0, None].expand(*x.shape[:-1], 0, k)
