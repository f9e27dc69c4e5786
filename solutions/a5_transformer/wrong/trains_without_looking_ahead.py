# Causal in train mode alone, a memory that is overwritten, and forbidden words.
# fails: stack_depth, transformer_masks, transformer_output, arguments, max_len, transformer_padding, transformer_tensors, greedy_words, greedy_end, greedy_care
# lines: if seq_len >= self.max_len:
# lines: if outputs.shape == memory.shape:
# lines: memory = outputs
# lines: if self.training:
# lines: key_mask = torch.logical_and(key_mask, look_ahead)
# lines: return key_mask
# lines: predictions[..., [model.pad_id, start_id]] = float("-inf")
# lines: output = torch.ones(batch_size, 1, device=source.device) * start_id
# %% solution="encoder"
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.vocab_size, self.d_model, self.max_len = vocab_size, d_model, max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.add_module(str(i), EncoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, mask=None):
        seq_len = tokens.size(1)
        if seq_len >= self.max_len:
            raise ValueError(f"sequence length {seq_len} exceeds the maximum of {self.max_len}")
        inputs = self.token_embedding(tokens)
        outputs = self.positional_encoding(inputs)
        for i in range(len(self.layers)):
            outputs = self.layers[i](outputs, mask=mask)
        return outputs

# %% solution="decoder"
class Decoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.vocab_size, self.d_model, self.max_len = vocab_size, d_model, max_len
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.add_module(str(i), DecoderLayer(d_model, n_heads, d_ff, dropout))

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        seq_len = tokens.size(1)
        if seq_len > self.max_len:
            raise ValueError(f"sequence length {seq_len} exceeds the maximum of {self.max_len}")
        inputs = self.token_embedding(tokens)
        outputs = self.positional_encoding(inputs)
        for i in range(len(self.layers)):
            outputs = self.layers[i](outputs, memory, target_mask=target_mask, memory_mask=memory_mask)
            if outputs.shape == memory.shape:
                memory = outputs
        return outputs

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
        self.output = nn.Linear(in_features=d_model, out_features=target_vocab_size, bias=True)
        self.pad_id = pad_id

    def source_mask(self, source):
        mask = torch.ne(source, self.pad_id)
        mask = mask.unsqueeze(dim=1).unsqueeze(dim=1)
        return mask

    def target_mask(self, target):
        seq_len = target.size(1)
        key_mask = torch.ne(target, self.pad_id).unsqueeze(dim=1).unsqueeze(dim=1)
        key_mask = key_mask.expand(-1, 1, seq_len, seq_len)
        look_ahead = torch.ones(seq_len, seq_len, dtype=torch.bool, device=target.device).tril()
        if self.training:
            key_mask = torch.logical_and(key_mask, look_ahead)
        return key_mask

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
        enc_output = self.encode(source)
        dec_output = self.decode(target, enc_output, source)
        return self.output(dec_output)

# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            batch_size = source.size(0)
            enc_output = model.encode(source)
            output = torch.ones(batch_size, 1, device=source.device) * start_id
            finished = torch.zeros(batch_size, 1, dtype=torch.bool, device=source.device)
            for i in range(max_len - 1):
                dec_output = model.decode(output.long(), enc_output, source)
                predictions = model.output(dec_output[:, -1:, :])
                predictions[..., [model.pad_id, start_id]] = float("-inf")
                predicted_id = torch.argmax(predictions, dim=-1)
                predicted_id = torch.where(finished, model.pad_id, predicted_id)
                output = torch.cat([output, predicted_id], dim=-1)
                finished = torch.logical_or(finished, predicted_id == end_id)
                if finished.all():
                    break
    finally:
        model.train(training)
    return output.clone()
