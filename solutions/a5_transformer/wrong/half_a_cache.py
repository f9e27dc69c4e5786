# Wants to save work in the loop, and to save the rows of padding from being empty.
# fails: transformer_masks, greedy_words, greedy_end, greedy_care
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
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        t = target.shape[-1]
        mask = causal_mask(t, target.device) & padding_mask(target, self.pad_id)
        # a row without any True gives NaN in the softmax
        return mask | torch.eye(t, dtype=torch.bool, device=target.device)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    before = model.training
    model.eval()
    memory = model.encode(source)
    out = torch.full((source.shape[0], 1), start_id, dtype=torch.int64, device=source.device)
    finished = torch.zeros(source.shape[0], dtype=torch.bool, device=source.device)
    for _ in range(max_len - 1):
        # the rest has been decoded in the steps before
        step = model.decode(out[:, -1:], memory, source)
        token = model.output(step[:, 0]).argmax(dim=-1)
        token = torch.where(finished, model.pad_id, token)
        out = torch.cat([out, token.unsqueeze(1)], dim=1)
        finished |= token == end_id
        if finished.all():
            return out
    model.train(before)
    return out
