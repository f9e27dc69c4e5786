# PositionalEncoding is still the stub.
# fails: position_*
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        raise NotImplementedError()

    def forward(self, x):
        raise NotImplementedError()
