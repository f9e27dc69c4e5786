# Encoder's loop gives every layer the embedded tokens again.
# fails: encoder_mask, stack_depth
# lines: module_output = module(encoder_input, mask)
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_layers: int,
        max_len: int = 512,
        dropout: float = 0.1,
    ):
        super(Encoder, self).__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        )

    def forward(self, tokens, mask=None):
        encoder_input = self.positional_encoding(self.token_embedding(tokens))

        for module in self.layers:
            module_output = module(encoder_input, mask)

        return module_output

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_layers: int,
        max_len: int = 512,
        dropout: float = 0.1,
    ):
        super(Decoder, self).__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        decoder_output = self.positional_encoding(self.token_embedding(tokens))

        for layer in self.layers:
            decoder_output = layer(decoder_output, memory, target_mask, memory_mask)

        return decoder_output
