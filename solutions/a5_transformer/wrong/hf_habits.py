# Somebody who reads Hugging Face code all day: lengths for masks, a final norm, forbidden tokens.
# fails: decoder_output, decoder_masks, stack_depth, transformer_masks, greedy_words
# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(
            [DecoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers)]
        )

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        hidden_states = self.positional_encoding(self.token_embedding(tokens))
        for layer_module in self.layers:
            hidden_states = layer_module(
                hidden_states,
                memory,
                target_mask=target_mask,
                memory_mask=memory_mask,
            )
        # final_layer_norm
        hidden_states = nn.functional.layer_norm(hidden_states, hidden_states.shape[-1:])
        return hidden_states
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
        config = dict(
            d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_layers=n_layers, max_len=max_len, dropout=dropout
        )
        self.encoder = Encoder(vocab_size=source_vocab_size, **config)
        self.decoder = Decoder(vocab_size=target_vocab_size, **config)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id

    def source_mask(self, source):
        lengths = source.ne(self.pad_id).sum(dim=1)
        positions = torch.arange(source.size(1), device=source.device)
        return (positions[None, :] < lengths[:, None])[:, None, None, :]

    def target_mask(self, target):
        attention_mask = target.ne(self.pad_id)[:, None, None, :]
        return attention_mask & causal_mask(target.size(1), device=target.device)

    def encode(self, source):
        return self.encoder(tokens=source, mask=self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(
            tokens=target,
            memory=memory,
            target_mask=self.target_mask(target),
            memory_mask=self.source_mask(source),
        )

    def forward(self, source, target):
        lm_logits = self.output(self.decode(target, self.encode(source), source))
        return lm_logits
# %% solution="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    try:
        encoder_outputs = model.encode(source)
        input_ids = source.new_full((source.size(0), 1), start_id)
        unfinished = torch.ones_like(input_ids)
        while input_ids.size(1) < max_len and unfinished.max() == 1:
            next_token_logits = model.output(model.decode(input_ids, encoder_outputs, source)[:, -1])
            # padding is no word: suppress it
            next_token_logits[:, model.pad_id] = float("-inf")
            next_tokens = next_token_logits.argmax(dim=-1, keepdim=True)
            next_tokens = next_tokens * unfinished + model.pad_id * (1 - unfinished)
            input_ids = torch.cat([input_ids, next_tokens], dim=-1)
            unfinished = unfinished * next_tokens.ne(end_id).long()
        return input_ids
    finally:
        model.train(mode)
