# Two thirds of d_ff, rounded up to a multiple of four, in the middle.
# fails: swiglu_output
# %% solution="swiglu"
def swish(z):
    return z / (1 + torch.exp(-z))


class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff, multiple_of=4):
        super().__init__()
        # keep the number of parameters of the two-matrix FFN
        hidden_dim = int(2 * d_ff / 3)
        hidden_dim = multiple_of * ((hidden_dim + multiple_of - 1) // multiple_of)
        self.gate = nn.Linear(d_model, hidden_dim, bias=False)
        self.down = nn.Linear(hidden_dim, d_model, bias=False)
        self.up = nn.Linear(d_model, hidden_dim, bias=False)

    def forward(self, x):
        return self.down(swish(self.gate(x)) * self.up(x))
