# permute, contiguous and view; arguments of its own, and a dropout of 0 on the weights.
# %% solution="multi_head"
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads=8, dropout=0.0, bias=True):
        super(MultiHeadAttention, self).__init__()
        if d_model % n_heads:
            raise ValueError("d_model (%s) must be divisible by n_heads (%s)" % (d_model, n_heads))
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.q_proj = nn.Linear(d_model, d_model, bias=bias)
        self.k_proj = nn.Linear(d_model, d_model, bias=bias)
        self.v_proj = nn.Linear(d_model, d_model, bias=bias)
        self.out_proj = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        for each in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            nn.init.xavier_uniform_(each.weight)
            nn.init.zeros_(each.bias)

    def split_heads(self, x):
        x = x.contiguous().view(x.size(0), -1, self.n_heads, self.d_k)
        return x.permute(0, 2, 1, 3)

    def merge_heads(self, x):
        return x.permute(0, 2, 1, 3).contiguous().view(x.size(0), -1, self.d_model)

    def attend(self, query, key, value, mask):
        scores = torch.matmul(query, key.transpose(-2, -1)) / (self.d_k**0.5)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attention = torch.softmax(scores, dim=-1)
        if mask is not None:
            attention = attention.masked_fill(mask == 0, 0)
        self.weights = attention.detach()
        return torch.matmul(self.dropout(attention), value)

    def forward(self, query, key, value, mask=None):
        query = self.split_heads(self.q_proj(query))
        key = self.split_heads(self.k_proj(key))
        value = self.split_heads(self.v_proj(value))
        return self.out_proj(self.merge_heads(self.attend(query, key, value, mask)))
