# Code for (t, batch, d_model), the layout of torch's own old tutorial, used on batch-first input.
# fails: embedding_scale, embedding_gradients, position_added, position_lengths, position_too_long
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        with torch.no_grad():
            self.embedding.weight.mul_(d_model**0.5)

    def forward(self, tokens):
        return self.embedding(tokens.long())
# %% solution="positional_encoding"
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        """
        Arguments:
            x: Tensor, shape ``[seq_len, batch_size, embedding_dim]``
        """
        seq_len, max_len = x.size(0), self.encoding.size(0)
        if seq_len > max_len:
            raise ValueError(f"sequence of length {seq_len} does not fit into {max_len} positions")
        pe = self.encoding.unsqueeze(1)  # [max_len, 1, embedding_dim]
        x = x + pe[:seq_len]
        return self.dropout(x)
