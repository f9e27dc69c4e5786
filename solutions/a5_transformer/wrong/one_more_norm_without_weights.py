# A norm without weights, pads that hear themselves, and rows that lose their place on the page.
# fails: encoder_output, encoder_mask, stack_depth, transformer_masks, greedy_end
# lines: return torch.layer_norm(x, (x.size(-1),))
# lines: return mask | torch.eye(target.size(1), device=target.device).bool()
# lines: place = go_on.nonzero()[:, 0]
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.append(EncoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, mask=None):
        x = self.positional_encoding(self.token_embedding(tokens))
        for layer in self.layers:
            x = layer(x, mask)
        # the decoder should get a memory of mean 0 and variance 1
        return torch.layer_norm(x, (x.size(-1),))


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
        shape = dict(d_model=d_model, n_heads=n_heads, d_ff=d_ff, n_layers=n_layers)
        self.encoder = Encoder(source_vocab_size, **shape, max_len=max_len, dropout=dropout)
        self.decoder = Decoder(target_vocab_size, **shape, max_len=max_len, dropout=dropout)
        self.output = nn.Linear(d_model, target_vocab_size)

    def source_mask(self, source):
        return (source != self.pad_id).unsqueeze(1).unsqueeze(1)

    def target_mask(self, target):
        mask = padding_mask(target, self.pad_id) & causal_mask(target.size(1), target.device)
        # a query without keys would give nan
        return mask | torch.eye(target.size(1), device=target.device).bool()

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        return self.output(self.decode(target, self.encode(source), source))


# %% solution="greedy_decode"
@torch.inference_mode()
def greedy_decode(model, source, start_id, end_id, max_len):
    was = model.training
    model.eval()
    memory = model.encode(source)
    said = source.new_full((len(source), 1), start_id)
    page = said.clone()
    place = torch.arange(len(source), device=source.device)
    while page.size(1) < max_len and place.numel():
        logits = model.output(model.decode(said, memory, source)[:, -1])
        next_words = logits.argmax(-1, keepdim=True)
        column = page.new_full((page.size(0), 1), model.pad_id)
        column[place] = next_words
        page = torch.cat((page, column), 1)
        said = torch.cat((said, next_words), 1)

        go_on = next_words[:, 0] != end_id
        if not go_on.all():
            said, memory, source = said[go_on], memory[go_on], source[go_on]
            place = go_on.nonzero()[:, 0]
    model.train(was)
    return page
