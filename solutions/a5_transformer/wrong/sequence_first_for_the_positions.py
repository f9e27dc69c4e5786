# The encoder turns to sequence first for the positions alone, and these run along the batch.
# fails: encoder_output, encoder_mask, stack_depth
# lines: src = self.positional_encoding(src.transpose(0, 1)).transpose(0, 1)  # (S, N, E)
# %% solution="encoder"
import torch
from given import (
    DecoderLayer,
    EncoderLayer,
    PositionalEncoding,
    TokenEmbedding,
    causal_mask,
    padding_mask,
)
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super(Encoder, self).__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [EncoderLayer(d_model, n_heads, d_ff, dropout) for i in range(n_layers)]
        )
        self.max_len = max_len

    def forward(self, tokens, mask=None):
        seq_len = tokens.size(1)
        if seq_len > self.max_len:
            raise ValueError(f"sequence of {seq_len} tokens, but max_len is {self.max_len}")
        src = self.token_embedding(tokens)
        src = self.positional_encoding(src.transpose(0, 1)).transpose(0, 1)  # (S, N, E)
        output = src
        for mod in self.layers:
            output = mod(output, mask)
        return output


# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super(Decoder, self).__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, n_heads, d_ff, dropout) for i in range(n_layers)]
        )
        self.max_len = max_len

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        seq_len = tokens.size(1)
        if seq_len > self.max_len:
            raise ValueError(f"sequence of {seq_len} tokens, but max_len is {self.max_len}")
        output = self.positional_encoding(self.token_embedding(tokens))
        for mod in self.layers:
            output = mod(output, memory, target_mask=target_mask, memory_mask=memory_mask)
        return output


# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(
        self,
        source_vocab_size,
        target_vocab_size,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        n_layers=6,
        max_len=512,
        dropout=0.1,
        pad_id=0,
    ):
        super(Transformer, self).__init__()
        self.encoder = Encoder(
            source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout
        )
        self.decoder = Decoder(
            target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout
        )
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return (source != self.pad_id).unsqueeze(1).unsqueeze(2)

    def target_mask(self, target):
        trg_len = target.shape[1]
        trg_pad_mask = (target != self.pad_id).unsqueeze(1).unsqueeze(2)
        trg_sub_mask = torch.tril(torch.ones((trg_len, trg_len), device=target.device)).bool()
        return trg_pad_mask & trg_sub_mask

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        enc_src = self.encode(source)
        output = self.decode(target, enc_src, source)
        return self.output(output)


# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    with torch.no_grad():
        enc_src = model.encode(source)
        ys = torch.ones(source.shape[0], 1).fill_(start_id).type_as(source)
        ended = torch.zeros(source.shape[0], device=source.device).bool()
        for i in range(max_len - 1):
            out = model.decode(ys, enc_src, source)
            prob = model.output(out[:, -1])
            _, next_word = torch.max(prob, dim=1)
            next_word[ended] = model.pad_id
            ys = torch.cat([ys, next_word.unsqueeze(1)], dim=1)
            ended = ended | (next_word == end_id)
            if ended.all():
                break
    if training:
        model.train()
    return ys
