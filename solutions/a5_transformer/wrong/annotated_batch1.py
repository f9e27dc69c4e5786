# A decoder that was written for one sentence at a time, and logarithms for logits.
# fails: transformer_output, arguments, transformer_padding, transformer_tensors, greedy_words, greedy_end, greedy_care
# %% solution="transformer"
from torch.nn.functional import log_softmax


class Transformer(nn.Module):
    """
    A standard Encoder-Decoder architecture. Base for this and many
    other models.
    """

    def __init__(self, source_vocab_size, target_vocab_size, d_model=512, n_heads=8, d_ff=2048,
                 n_layers=6, max_len=512, dropout=0.1, pad_id=0):
        super(Transformer, self).__init__()
        self.encoder = Encoder(source_vocab_size, d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.decoder = Decoder(target_vocab_size, d_model, n_heads, d_ff, n_layers, max_len)
        self.output = nn.Linear(d_model, target_vocab_size)
        self.pad_id = pad_id
        # Initialize parameters with Glorot / fan_avg.
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def source_mask(self, source):
        return (source != self.pad_id).unsqueeze(-2).unsqueeze(1)

    def target_mask(self, target):
        "Create a mask to hide padding and future words."
        tgt_mask = (target != self.pad_id).unsqueeze(-2)
        tgt_mask = tgt_mask & causal_mask(target.size(-1), target.device).unsqueeze(0)
        return tgt_mask.unsqueeze(1)

    def encode(self, source):
        return self.encoder(source, self.source_mask(source))

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target), self.source_mask(source))

    def forward(self, source, target):
        "Take in and process masked src and target sequences."
        out = self.decode(target, self.encode(source), source)
        return log_softmax(self.output(out), dim=-1)
# %% solution="greedy_decode"
def greedy_decode(model, source, start_id, end_id, max_len):
    mode = model.training
    model.eval()
    with torch.no_grad():
        memory = model.encode(source)
        ys = torch.zeros(source.size(0), 1).fill_(start_id).type_as(source)
        for i in range(max_len - 1):
            out = model.decode(ys, memory, source)
            prob = model.output(out[:, -1])
            _, next_word = torch.max(prob, dim=1)
            next_word = next_word[0]
            ys = torch.cat(
                [ys, torch.zeros(source.size(0), 1).type_as(source).fill_(next_word)], dim=1
            )
    model.train(mode)
    return ys
