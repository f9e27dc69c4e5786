# A causal buffer that is saved, and a memory that is kept by its shape.
# fails: arguments, greedy_care
# lines: self.register_buffer("causal", torch.tril(torch.ones(max_len, max_len)).bool())
# lines: if cache is None or cache[0] != key:
# %% solution="transformer"
class Transformer(nn.Module):
    """Sequence-to-sequence Transformer.

    The causal mask is precomputed once for efficiency and sliced on demand.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        n_layers: int = 6,
        max_len: int = 512,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)
        # Precompute the causal mask so it moves with the model
        self.register_buffer("causal", torch.tril(torch.ones(max_len, max_len)).bool())

    def source_mask(self, source: torch.Tensor) -> torch.Tensor:
        return (source != self.pad_id).unsqueeze(1).unsqueeze(2)

    def target_mask(self, target: torch.Tensor) -> torch.Tensor:
        t = target.size(1)
        if t > self.causal.size(0):
            raise ValueError(f"target length {t} exceeds max_len={self.causal.size(0)}")
        padding = (target != self.pad_id).unsqueeze(1).unsqueeze(2)
        return padding & self.causal[:t, :t]

    def encode(self, source: torch.Tensor) -> torch.Tensor:
        return self.encoder(source, self.source_mask(source))

    def decode(self, target: torch.Tensor, memory: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        memory = self.encode(source)
        hidden = self.decode(target, memory, source)
        return self.output(hidden)


# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    """Greedy decoding with a cached encoder memory."""
    was_training = model.training
    model.eval()
    try:
        # Reuse the memory if this source has been encoded already
        key = (tuple(source.shape), source.device)
        cache = getattr(model, "_memory_cache", None)
        if cache is None or cache[0] != key:
            cache = (key, model.encode(source))
            model._memory_cache = cache
        memory = cache[1]

        batch_size = source.size(0)
        generated = torch.full((batch_size, 1), start_id, dtype=torch.long, device=source.device)
        finished = torch.zeros(batch_size, dtype=torch.bool, device=source.device)

        for _ in range(max_len - 1):
            logits = model.output(model.decode(generated, memory, source)[:, -1])
            next_token = logits.argmax(dim=-1)
            next_token = torch.where(finished, torch.full_like(next_token, model.pad_id), next_token)
            generated = torch.cat([generated, next_token.unsqueeze(1)], dim=1)
            finished = finished | (next_token == end_id)
            if finished.all():
                break
        return generated
    finally:
        model.train(was_training)
