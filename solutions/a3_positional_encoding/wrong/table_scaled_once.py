# The table itself is scaled at the first call, and the hands run down to the last speed.
# fails: encoding_values, encoding_far, embedding_scale, embedding_gradients
# %% solution="sinusoidal_encoding"
import math


def sinusoidal_encoding(max_len, d_model):
    """The table of sinusoidal positions (Vaswani et al. 2017, section 3.5).

    max_len: how many positions, at least 1. d_model: how many columns, an even number. Raises
    ValueError, with the value of d_model in its message, when that is odd.

    Returns (max_len, d_model) in torch's default dtype, float32: row pos, column 2i is
    sin(pos / 10000^(2i / d_model)), and column 2i + 1 is the cosine of that same angle.
    """
    if d_model % 2:
        raise ValueError("channels must be even, not %d" % d_model)
    num_timescales = d_model // 2
    position = torch.arange(max_len, dtype=torch.float64)
    log_timescale_increment = math.log(10000.0) / max(num_timescales - 1, 1)
    inv_timescales = torch.exp(
        torch.arange(num_timescales, dtype=torch.float64) * -log_timescale_increment
    )
    scaled_time = position.unsqueeze(1) * inv_timescales.unsqueeze(0)
    signal = torch.stack([torch.sin(scaled_time), torch.cos(scaled_time)], dim=2)
    return signal.reshape(max_len, d_model).to(torch.get_default_dtype())
# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    """Tokens to vectors, scaled by the root of d_model (Vaswani et al. 2017, section 3.4).

    vocab_size: how many different tokens there are. d_model: how many numbers each becomes.
    Parameter: embedding, an nn.Embedding(vocab_size, d_model), and no others.
    """

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.scale = d_model**0.5
        self.is_scaled = False

    def forward(self, tokens):
        """Look up tokens (batch, t), int64, from 0 up to vocab_size - 1.

        Returns (batch, t, d_model): the rows of the embedding, times the root of d_model, in
        the dtype and on the device of the embedding. Works under autograd.
        """
        if not self.is_scaled:
            # once for the whole table is cheaper than once for each sentence
            with torch.no_grad():
                self.embedding.weight.mul_(self.scale)
            self.is_scaled = True
        return self.embedding(tokens)
