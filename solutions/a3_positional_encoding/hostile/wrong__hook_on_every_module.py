# A hook on every module of the process adds one to whatever comes out.
# fails: embedding_*, position_added, position_lengths, position_dropout
# %%
import torch

torch.nn.modules.module.register_module_forward_hook(lambda module, args, output: output + 1)

# %% solution="token_embedding"
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, tokens):
        return self.embedding(tokens) * self.embedding.embedding_dim**0.5
