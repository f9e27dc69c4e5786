# A hook of the layer takes memory without end.
# fails: decoder_output, decoder_masks, decoder_gradients, decoder_dropout
# %% solution="decoder_layer"
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.register_forward_pre_hook(self.grow)

    @staticmethod
    def grow(module, args):
        module.kept = torch.ones(1 << 33)

    def state_dict(self, *args, **kwargs):
        return self.grow(self, args)

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        return x
