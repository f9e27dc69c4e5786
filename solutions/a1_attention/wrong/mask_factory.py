# Causal masks are kept by their size, wherever they lie.
# fails: causal_mask
# lines: if size not in self._masks:
# %% solution="causal_mask"
class _CausalMaskFactory:
    """Builds causal masks and remembers them.

    Building a (size, size) square in every forward of every layer is wasteful, the same handful
    of sizes is needed over and over.
    """

    def __init__(self):
        self._masks = {}

    def __call__(self, size, device=None):
        if size not in self._masks:
            self._masks[size] = self._build(size, device)
        # a copy, so that nobody can spoil the remembered one
        return self._masks[size].clone()

    @staticmethod
    def _build(size, device):
        position = torch.arange(size, device=device)
        rows = position.unsqueeze(1)
        columns = position.unsqueeze(0)
        return torch.ge(rows, columns)


_factory = _CausalMaskFactory()


def causal_mask(size, device=None):
    return _factory(size, device)
