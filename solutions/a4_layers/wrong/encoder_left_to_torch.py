# torch's own layer does the work.
# fails: encoder_output, encoder_mask, encoder_dropout, encoder_gradients
# %% solution="encoder_layer"
class EncoderLayer(nn.TransformerEncoderLayer):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__(d_model, n_heads, d_ff, dropout, batch_first=True)
