# The decoder's width is a constant, padding blocks queries, and the source is cut at max_len.
# fails: transformer_masks, transformer_output, arguments, transformer_padding, transformer_tensors, greedy_words, greedy_care
# lines: self.positional_encoding = PositionalEncoding(d_model, max_len=max_len)
# lines: not_padding = is_word[:, None, :, None]
# lines: d_ff=4 * d_model,
# lines: source = source[:, :max_len]
# lines: memory = model.encode(source)
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len=max_len)
        stack = []
        for layer_number in range(n_layers):
            new_layer = EncoderLayer(d_model, n_heads, d_ff, dropout)
            stack.append(new_layer)
        self.layers = nn.ModuleList(stack)

    def forward(self, tokens, mask=None):
        # 1. words become vectors: (batch, t) -> (batch, t, d_model)
        word_vectors = self.token_embedding(tokens)
        # 2. every vector learns its place
        hidden_states = self.positional_encoding(word_vectors)
        # 3. through all the layers, bottom to top
        for encoder_layer in self.layers:
            hidden_states = encoder_layer(hidden_states, mask)
        memory = hidden_states
        return memory

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len=max_len, dropout=dropout)
        stack = []
        for layer_number in range(n_layers):
            new_layer = DecoderLayer(d_model, n_heads, d_ff, dropout)
            stack.append(new_layer)
        self.layers = nn.ModuleList(stack)

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        word_vectors = self.token_embedding(tokens)
        hidden_states = self.positional_encoding(word_vectors)
        for decoder_layer in self.layers:
            hidden_states = decoder_layer(hidden_states, memory, target_mask, memory_mask)
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
        self.pad_id = pad_id
        self.encoder = Encoder(
            vocab_size=source_vocab_size,
            d_model=d_model,
            n_heads=n_heads,
            d_ff=d_ff,
            n_layers=n_layers,
            max_len=max_len,
            dropout=dropout,
        )
        self.decoder = Decoder(
            vocab_size=target_vocab_size,
            d_model=d_model,
            n_heads=n_heads,
            d_ff=4 * d_model,
            n_layers=n_layers,
            max_len=max_len,
            dropout=dropout,
        )
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        mask = padding_mask(source, self.pad_id)
        return mask

    def target_mask(self, target):
        batch_size, length = target.shape
        # which tokens are words?  (batch, t)
        is_word = target != self.pad_id
        not_padding = is_word[:, None, :, None]
        # who is not later than whom?  (t, t)
        not_later = causal_mask(length, target.device)
        return not_padding & not_later

    def encode(self, source):
        mask_for_source = self.source_mask(source)
        memory = self.encoder(source, mask_for_source)
        return memory

    def decode(self, target, memory, source):
        mask_for_target = self.target_mask(target)
        mask_for_memory = self.source_mask(source)
        result = self.decoder(target, memory, mask_for_target, mask_for_memory)
        return result

    def forward(self, source, target):
        memory = self.encode(source)
        decoded = self.decode(target, memory, source)
        logits = self.output(decoded)
        return logits

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            batch_size = source.shape[0]
            source = source[:, :max_len]
            memory = model.encode(source)
            written = torch.full((batch_size, 1), start_id, dtype=torch.long, device=source.device)
            has_ended = torch.zeros(batch_size, dtype=torch.bool, device=source.device)
            while written.shape[1] < max_len and not bool(has_ended.all()):
                decoded = model.decode(written, memory, source)
                last_position = decoded[:, -1, :]
                logits = model.output(last_position)
                next_word = logits.argmax(dim=-1)
                next_word = next_word.masked_fill(has_ended, model.pad_id)
                has_ended = has_ended | (next_word == end_id)
                written = torch.cat([written, next_word[:, None]], dim=1)
    finally:
        model.train(was_training)
    return written
