# The decoder is still the stub.
# fails: decoder_output, decoder_masks, stack_depth, arguments, max_len
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        raise NotImplementedError()

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        raise NotImplementedError()
