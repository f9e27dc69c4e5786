# Its own attention, layers and float32 positions, written out under the same names.
# %%
import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            project(x).unflatten(-1, (self.n_heads, -1))
            for project, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value))
        )
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        return self.out_proj(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).flatten(2))


class Positions(nn.Module):
    def __init__(self, d_model, max_len, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len).unsqueeze(1).float()
        rate = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        encoding = torch.zeros(max_len, d_model)
        encoding[:, 0::2] = torch.sin(position * rate)
        encoding[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("encoding", encoding, persistent=False)

    def forward(self, x):
        if x.size(1) > self.encoding.size(0):
            raise ValueError(f"{x.size(1)} tokens, but max_len is {self.encoding.size(0)}")
        return self.dropout(x + self.encoding[: x.size(1)])


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.linear2(self.dropout(torch.relu(self.linear1(x))))


class OwnEncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout):
        super().__init__()
        self.self_attn = Attention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class OwnDecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout):
        super().__init__()
        self.self_attn = Attention(d_model, n_heads)
        self.cross_attn = Attention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, target_mask, memory_mask):
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, target_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory, memory_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = Positions(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            OwnEncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)
        )

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, mask)
        return x

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = Positions(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            OwnDecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, memory, target_mask, memory_mask)
        return x

# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        sizes = d_model, n_heads, d_ff, n_layers, max_len, dropout
        self.encoder = Encoder(source_vocab_size, *sizes)
        self.decoder = Decoder(target_vocab_size, *sizes)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        t = target.size(1)
        causal = torch.ones(t, t, device=target.device).tril() == 1
        return (target != self.pad_id).unsqueeze(1).unsqueeze(2) & causal

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
