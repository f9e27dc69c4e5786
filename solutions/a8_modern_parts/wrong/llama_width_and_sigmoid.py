# Two thirds of d_ff as in LLaMA, a sigmoid for SiLU, and a bias in down.
# fails: swiglu_output
# %% solution="swiglu"
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int):
        super().__init__()
        hidden_dim = int(2 * d_ff / 3)
        self.gate = nn.Linear(d_model, hidden_dim, bias=False)
        self.up = nn.Linear(d_model, hidden_dim, bias=False)
        self.down = nn.Linear(hidden_dim, d_model)

    def forward(self, x):
        opened = torch.sigmoid(self.gate(x))  # between 0 (shut) and 1 (open)
        return self.down(opened * self.up(x))
