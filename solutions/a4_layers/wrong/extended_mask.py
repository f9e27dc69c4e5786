# Another eps, and a mask of two axes that is taken for one of keys.
# fails: encoder_output, encoder_mask, encoder_dropout, encoder_gradients
# lines: self.norm1 = nn.LayerNorm(d_model, eps=1e-12)
# lines: attention_mask = attention_mask[:, None, None, :]
# %% solution="encoder_layer"
class SelfOutput(nn.Module):
    def __init__(self, prob):
        super().__init__()
        self.dropout = nn.Dropout(prob)

    def forward(self, hidden_states, input_tensor, norm):
        hidden_states = self.dropout(hidden_states)
        hidden_states = norm(hidden_states + input_tensor)
        return hidden_states


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-12)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-12)
        self.attention_output = SelfOutput(dropout)
        self.layer_output = SelfOutput(dropout)

    def get_extended_attention_mask(self, attention_mask):
        if attention_mask is None:
            return None
        if attention_mask.dim() == 3:
            attention_mask = attention_mask[:, None, :, :]
        elif attention_mask.dim() == 2:
            attention_mask = attention_mask[:, None, None, :]
        return attention_mask

    def forward(self, x, mask=None):
        hidden_states = x
        extended_attention_mask = self.get_extended_attention_mask(mask)
        self_outputs = self.self_attn(hidden_states, hidden_states, hidden_states, extended_attention_mask)
        attention_output = self.attention_output(self_outputs, hidden_states, self.norm1)
        intermediate_output = self.feed_forward(attention_output)
        return self.layer_output(intermediate_output, attention_output, self.norm2)
