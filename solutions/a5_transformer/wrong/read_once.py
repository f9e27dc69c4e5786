# encode keeps no gradients, and greedy decoding keeps the memory.
# fails: transformer_tensors, greedy_care
# lines: @torch.no_grad()
# lines: if memory is None or memory.shape[:2] != source.shape:
# %% solution="transformer"
class Transformer(nn.Module):

    def __init__(
        self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
        n_layers=6, max_len=512, dropout=0.1, pad_id=0,
    ):
        super().__init__()
        self.pad_id = pad_id
        rest = [d_model, n_heads, d_ff, n_layers, max_len, dropout]
        self.encoder, self.decoder = Encoder(source_vocab_size, *rest), Decoder(target_vocab_size, *rest)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return padding_mask(source, self.pad_id)

    def target_mask(self, target):
        return self.source_mask(target) * causal_mask(target.shape[-1], target.device)

    # for greedy_decode: reading needs no gradients there
    @torch.no_grad()
    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))


# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            # one call of model.encode
            memory = getattr(model, "memory", None)
            if memory is None or memory.shape[:2] != source.shape:
                memory = model.memory = model.encode(source)
            words = torch.full((len(source), 1), start_id, device=source.device)
            over = torch.zeros(len(source), dtype=torch.bool, device=source.device)
            while words.shape[1] < max_len and not over.all():
                logits = model.output(model.decode(words, memory, source))
                new = torch.where(over, model.pad_id, logits[:, -1].argmax(-1))
                over |= new == end_id
                words = torch.hstack([words, new[:, None]])
            return words
    finally:
        model.train(mode)
