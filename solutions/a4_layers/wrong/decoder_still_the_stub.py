# The decoder layer is still the stub.
# fails: decoder_output, decoder_masks, decoder_dropout, decoder_gradients
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        raise NotImplementedError()

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        raise NotImplementedError()
