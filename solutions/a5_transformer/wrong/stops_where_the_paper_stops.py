# No row is more than 50 longer than its source, pads are never written, and empty rows hear all.
# fails: transformer_masks, greedy_words
# lines: return seen | seen.any(-1, keepdim=True).logical_not()
# lines: room = min(max_len, source.size(-1) + 50)
# lines: scores[:, model.pad_id] = float("-inf")
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
        rest = (d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.encoder, self.decoder = Encoder(source_vocab_size, *rest), Decoder(target_vocab_size, *rest)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        seen = padding_mask(target, self.pad_id) & causal_mask(target.size(1), target.device)
        return seen | seen.any(-1, keepdim=True).logical_not()

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))


# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    room = min(max_len, source.size(-1) + 50)
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            memory = model.encode(source)
            rows = source.new_full((len(source), 1), start_id)
            going = torch.ones(len(source), dtype=torch.bool, device=source.device)
            for _ in range(1, room):
                scores = model.output(model.decode(rows, memory, source)[:, -1])
                scores[:, model.pad_id] = float("-inf")
                word = scores.argmax(-1).masked_fill(~going, model.pad_id)
                rows = torch.cat((rows, word[:, None]), dim=1)
                going &= word != end_id
                if not going.any():
                    break
        return rows
    finally:
        model.train(mode)
