# A target ends at its first pad; pads are cut out of sources, read one by one.
# fails: transformer_masks, greedy_words, greedy_care
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super().__init__()
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        batch, t = source.shape
        mask = torch.zeros(batch, 1, 1, t, dtype=torch.bool, device=source.device)
        for b in range(batch):
            for k in range(t):
                mask[b, 0, 0, k] = source[b, k] != self.pad_id
        return mask

    def target_mask(self, target):
        batch, t = target.shape
        mask = torch.zeros(batch, 1, t, t, dtype=torch.bool, device=target.device)
        for b in range(batch):
            for q in range(t):
                for k in range(q + 1):
                    if target[b, k] == self.pad_id:
                        break  # from here on there is only padding
                    mask[b, 0, q, k] = True
        return mask

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        memory = self.encode(source)
        return self.output(self.decode(target, memory, source))
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    rows = []
    try:
        with torch.no_grad():
            # one sentence after the other, I know what happens then
            for b in range(source.shape[0]):
                sentence = source[b][source[b] != model.pad_id].unsqueeze(0)
                memory = model.encode(sentence)
                words = [start_id]
                while len(words) < max_len:
                    target = torch.tensor([words], device=source.device)
                    logits = model.output(model.decode(target, memory, sentence))
                    word = int(logits[0, -1].argmax())
                    words.append(word)
                    if word == end_id:
                        break
                rows.append(words)
    finally:
        model.train(was_training)
    width = 0
    for words in rows:
        width = max(width, len(words))
    result = torch.zeros(len(rows), width, dtype=torch.int64, device=source.device)
    for b in range(len(rows)):
        for k in range(width):
            result[b, k] = rows[b][k] if k < len(rows[b]) else model.pad_id
    return result
