# Padding of the target is heard, and a start that is the end counts later.
# fails: transformer_masks, greedy_end
# lines: return self._causal(t, target.device)[None, None].expand(b, 1, t, t)
# lines: finished = (input_ids == end_id).any(dim=1)
# %% solution="transformer"
class Transformer(nn.Module):
    def __init__(
        self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
        n_layers=6, max_len=512, dropout=0.1, pad_id=0,
    ):
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.output = nn.Linear(d_model, target_vocab_size)

    @staticmethod
    def _causal(t, device):
        position = torch.arange(t, device=device)
        return position[None, :] <= position[:, None]

    def source_mask(self, source):
        attention_mask = source.ne(self.pad_id)
        return attention_mask[:, None, None, :]

    def target_mask(self, target):
        b, t = target.shape
        return self._causal(t, target.device)[None, None].expand(b, 1, t, t)

    def encode(self, source):
        return self.encoder(source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            target,
            memory,
            target_mask=self.target_mask(target),
            memory_mask=self.source_mask(source),
        )

    def forward(self, source, target):
        encoder_hidden_states = self.encode(source)
        sequence_output = self.decode(target, encoder_hidden_states, source)
        lm_logits = self.output(sequence_output)
        return lm_logits


# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    try:
        encoder_outputs = model.encode(source)
        batch_size = source.shape[0]
        input_ids = torch.ones((batch_size, 1), dtype=torch.long, device=source.device) * start_id
        unfinished_sequences = torch.ones(batch_size, dtype=torch.long, device=source.device)
        while input_ids.shape[-1] < max_len:
            outputs = model.decode(input_ids, encoder_outputs, source)
            next_token_logits = model.output(outputs[:, -1, :])
            next_tokens = torch.argmax(next_token_logits, dim=-1)
            next_tokens = next_tokens * unfinished_sequences + model.pad_id * (1 - unfinished_sequences)
            input_ids = torch.cat([input_ids, next_tokens[:, None]], dim=-1)
            finished = (input_ids == end_id).any(dim=1)
            unfinished_sequences = (~finished).long()
            if unfinished_sequences.max() == 0:
                break
    finally:
        model.train(training)
    return input_ids
