# A class allots the cache once, and attends to all of it under a mask.
# %% solution="greedy_decode_cached"
class Writer:
    """Writes a batch of sentences; its cache is allotted at the start for max_len tokens."""

    def __init__(self, model, source, max_len):
        self.model, self.decoder = model, model.decoder
        memory = model.encode(source)
        batch, _, d_model = memory.shape
        self.memory = [self._cut(layer.cross_attn, memory, "k_proj", "v_proj") for layer in self.layers]
        self.memory_open = model.source_mask(source)
        n_heads = self.layers[0].self_attn.n_heads
        self.kept = [
            memory.new_zeros(2, batch, n_heads, max_len, d_model // n_heads) for _ in self.layers
        ]
        self.open = torch.zeros(batch, 1, 1, max_len, dtype=torch.bool, device=source.device)

    @property
    def layers(self):
        return self.decoder.layers

    @staticmethod
    def _cut(attention, x, *names):
        n, (b, t, d) = attention.n_heads, x.shape
        return [getattr(attention, e)(x).view(b, t, n, d // n).permute(0, 2, 1, 3) for e in names]

    def _look(self, attention, x, keys, values, open_):
        (q,) = self._cut(attention, x, "q_proj")
        scores = torch.matmul(q, keys.mT).div(math.sqrt(q.shape[-1]))
        weights = scores.masked_fill(open_.logical_not(), -math.inf).softmax(-1)
        return attention.out_proj(torch.matmul(weights, values).permute(0, 2, 1, 3).flatten(2))

    def step(self, tokens, place):
        """The logits (batch, vocab_size) after the tokens (batch,) at a place."""
        self.open[..., place] = tokens.ne(self.model.pad_id).view(-1, 1, 1)
        x = self.decoder.token_embedding(tokens.unsqueeze(1))
        x = x + self.decoder.positional_encoding.encoding[place]
        for layer, kept, memory in zip(self.layers, self.kept, self.memory):
            for slot, new in zip(kept, self._cut(layer.self_attn, x, "k_proj", "v_proj")):
                slot[:, :, place] = new.squeeze(2)
            x = layer.norm1(x + self._look(layer.self_attn, x, *kept, self.open))
            x = layer.norm2(x + self._look(layer.cross_attn, x, *memory, self.memory_open))
            x = layer.norm3(x + layer.feed_forward(x))
        return self.model.output(x).squeeze(1)


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    try:
        model.eval()
        with torch.no_grad():
            writer = Writer(model, source, max_len)
            page = source.new_full((source.shape[0], max_len), model.pad_id)
            page[:, 0], width = start_id, 1
            ended = page.new_zeros(page.shape[0], dtype=torch.bool)
            while width < max_len and not ended.all():
                words = writer.step(page[:, width - 1], width - 1).argmax(dim=1)
                page[:, width] = torch.where(ended, model.pad_id, words)
                ended = ended | page[:, width].eq(end_id)
                width += 1
            return page[:, :width].clone()
    finally:
        model.train(was_training)
