"""A parameter that is none: what it does on another device is told as that alone."""

PLAIN = """
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = torch.ones(d_model)
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(dim=-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias
"""


def test_a_weight_that_stays_where_it_was_made_is_one_mistake(hand_in):
    result = hand_in("a4_layers", "layer_norm", PLAIN, locate=False)
    (mistake,) = result.mistakes
    assert all(each.startswith("layer_norm.Weight") for each in mistake.faults)
    assert mistake.costs == {"norm_parameters": 1.0}
