# What is too long is asserted, and the source is read with gradients.
# fails: max_len, greedy_care
# %% solution="encoder"
def check_tokens(tokens, max_len):
    """Fail early, with a message that one can read."""
    assert tokens.dim() == 2, f"tokens must be (batch, t), got {tuple(tokens.shape)}"
    assert not tokens.is_floating_point(), f"tokens must be ids, got {tokens.dtype}"
    t = tokens.shape[1]
    assert t <= max_len, f"sequence of length {t} is longer than max_len={max_len}"


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        assert d_model % n_heads == 0, (d_model, n_heads)
        assert n_layers >= 1
        self.max_len = max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        )
        assert len({id(layer) for layer in self.layers}) == n_layers

    def forward(self, tokens, mask=None):
        check_tokens(tokens, self.max_len)
        assert mask is None or mask.dtype == torch.bool, "a mask is torch.bool"
        memory = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            memory = layer(memory, mask)
        return memory
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    assert max_len >= 1
    batch = source.shape[0]
    was_training = model.training
    model.eval()
    try:
        memory = model.encode(source)
        target = source.new_full((batch, 1), start_id)
        ended = source.new_zeros((batch,), dtype=torch.bool)
        with torch.no_grad():
            for _ in range(max_len - 1):
                if ended.all():
                    break
                x = model.decode(target, memory, source)
                logits = model.output(x[:, -1])
                assert logits.dim() == 2
                word = logits.argmax(dim=-1)
                word = torch.where(ended, model.pad_id, word)
                ended = ended | (~ended & (word == end_id))
                target = torch.cat([target, word[:, None]], dim=1)
    finally:
        model.train(was_training)
    assert target.shape[1] <= max_len
    return target
