# Wants to be fast: the causal mask is made once, and rows are cheap to test.
# fails: max_len, transformer_masks, transformer_tensors, greedy_end, greedy_care
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
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id
        self._causal = torch.ones(max_len, max_len).tril().bool()  # make it only once

    def source_mask(self, source):
        return (source != self.pad_id).unsqueeze(1).unsqueeze(2)

    def target_mask(self, target):
        t = target.size(1)
        return (target != self.pad_id).unsqueeze(1).unsqueeze(2) & self._causal[:t, :t]

    def encode(self, source):
        mask = self.source_mask(source)
        return self.encoder(source, mask)

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    with torch.no_grad():
        memory = model.encode(source)
        out = torch.full((len(source), 1), start_id, dtype=torch.int64, device=source.device)
        for _ in range(max_len - 1):
            logits = model.output(model.decode(out, memory, source)[:, -1])
            nxt = logits.argmax(dim=-1, keepdim=True)
            out = torch.cat([out, nxt], dim=1)
            if (nxt == end_id).all():
                break
    model.train(training)
    return out
