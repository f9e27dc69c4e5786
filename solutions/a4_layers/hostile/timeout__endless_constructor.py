# The constructor of the encoder layer never ends.
# fails: encoder_*
# %% solution="encoder_layer"
class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        while True:
            pass

    def forward(self, x, mask=None):
        return x
