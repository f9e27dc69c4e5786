"""The reference of a4_layers against torch's own LayerNorm, encoder layer and decoder layer."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import load_reference
from torch import nn

TOLERANCE = 1e-10
PROJECTIONS = ("q_proj", "k_proj", "v_proj")
MASKS = ["none", "causal", "padding", "both", "any"]

# The first calls of torch are slow, and no time says anything about the reference.
relaxed = settings(deadline=None, max_examples=20)

a4 = load_reference("a4_layers")


class Drawn:
    """Sizes, pairwise distinct where they can be, and tensors from one seed."""

    def __init__(self, data):
        self.n_heads = data.draw(st.integers(1, 4), label="n_heads")
        self.d_model = self.n_heads * data.draw(st.integers(2, 5), label="d_k")
        self.d_ff = data.draw(st.integers(1, 20), label="d_ff")
        self.batch = data.draw(st.integers(1, 4), label="batch")
        lengths = st.lists(st.integers(1, 8), min_size=2, max_size=2, unique=True)
        self.t_target, self.t_memory = data.draw(lengths, label="t_target, t_memory")
        seed = data.draw(st.integers(0, 2**32), label="seed")
        self._generator = torch.Generator().manual_seed(seed)

    def normal(self, *shape):
        return torch.randn(*shape, dtype=torch.float64, generator=self._generator)

    def mask(self, kind, t_q, t_k):
        """True means "may attend"; each query has a key left."""
        if kind == "none":
            return None
        causal = torch.ones(t_q, t_k, dtype=torch.bool).tril()
        lengths = torch.randint(1, t_k + 1, (self.batch, 1, 1, 1), generator=self._generator)
        padding = torch.arange(t_k) < lengths
        some = torch.rand(self.batch, self.n_heads, t_q, t_k, generator=self._generator) < 0.5
        some[..., 0] = True
        return {"causal": causal, "padding": padding, "both": causal & padding, "any": some}[kind]

    def blocked(self, mask, t_q, t_k):
        """The same mask as torch's layers want it: (batch * n_heads, t_q, t_k), True blocks."""
        if mask is None:
            return None
        return ~mask.broadcast_to(self.batch, self.n_heads, t_q, t_k).flatten(0, 1)

    def fill(self, ours):
        """Give a module of the reference weights that leave a mark everywhere; in float64."""
        ours.double()
        shapes = {name: each.shape for name, each in ours.state_dict().items()}
        ours.load_state_dict({name: self.normal(*shape) for name, shape in shapes.items()})
        return ours


def to_torch(values):
    """Weights, or their gradients, of a layer of ours, under the names that torch's layer has."""
    renamed = {}
    for name, value in values.items():
        part, _, rest = name.replace("cross", "multihead").partition(".")
        which, _, kind = rest.partition(".")
        if which in PROJECTIONS:
            renamed.setdefault(f"{part}.in_proj_{kind}", []).append(value)
        elif part == "feed_forward":
            renamed[rest] = value
        else:
            renamed[name.replace("cross", "multihead")] = value
    return {
        name: torch.cat(value) if isinstance(value, list) else value
        for name, value in renamed.items()
    }


def gradients(module, inputs, masks):
    """The output, and the gradients of inputs and parameters for one fixed upstream gradient."""
    leaves = [each.clone().requires_grad_() for each in inputs]
    output = module(*leaves, *masks)
    upstream = torch.linspace(-1, 2, output.numel(), dtype=output.dtype).reshape(output.shape)
    named = dict(module.named_parameters())
    found = torch.autograd.grad(output, [*leaves, *named.values()], upstream)
    return output, found[: len(leaves)], dict(zip(named, found[len(leaves) :], strict=True))


def assert_close(actual, expected, tolerance=TOLERANCE):
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def assert_same(ours, theirs, inputs, masks, blocked):
    """Hold that torch's layer, with our weights in it, has our output and all our gradients."""
    theirs.load_state_dict(to_torch(ours.state_dict()))
    output, of_inputs, of_weights = gradients(ours, inputs, masks)
    expected = gradients(theirs, inputs, blocked)
    assert_close(output, expected[0])
    assert_close(of_inputs, expected[1])
    assert_close(to_torch(of_weights), expected[2])


@relaxed
@given(data=st.data())
def test_the_norm_equals_that_of_torch(data):
    drawn = Drawn(data)
    eps = data.draw(st.sampled_from([1e-5, 1e-3, 0.5]), label="eps")
    ours = drawn.fill(a4.LayerNorm(drawn.d_model, eps))
    theirs = nn.LayerNorm(drawn.d_model, eps, dtype=torch.float64)
    leading = data.draw(st.lists(st.integers(1, 4), max_size=3), label="leading")
    spread = data.draw(st.sampled_from([0.0, 1e-3, 1.0, 100.0]), label="spread")
    x = spread * drawn.normal(*leading, drawn.d_model) + drawn.normal(*leading, 1)
    assert_same(ours, theirs, [x], [], [])


def test_the_norm_of_a_row_found_by_hand():
    row = torch.tensor([1.0, 7.0, 7.0, 9.0], dtype=torch.float64)
    expected = torch.tensor([-5.0, 1.0, 1.0, 3.0], dtype=torch.float64) / 3
    assert_close(a4.LayerNorm(4, eps=0.0).double()(row), expected)
    unbiased = (row - 6) / row.std()
    assert (unbiased - expected).abs().max() > 0.1


def test_a_new_norm_has_weights_of_one_and_biases_of_zero():
    norm = a4.LayerNorm(6)
    assert norm.weight.tolist() == [1.0] * 6
    assert norm.bias.tolist() == [0.0] * 6
    assert norm.eps == nn.LayerNorm(6).eps


@relaxed
@given(data=st.data())
def test_the_feed_forward_network_equals_the_steps_in_torch(data):
    drawn = Drawn(data)
    ours = drawn.fill(a4.FeedForward(drawn.d_model, drawn.d_ff, dropout=0.0))
    first, second = nn.Linear(drawn.d_model, drawn.d_ff), nn.Linear(drawn.d_ff, drawn.d_model)
    theirs = nn.Sequential(first, nn.ReLU(), second).double()
    weights = ours.state_dict().items()
    theirs.load_state_dict(
        {name.replace("linear1", "0").replace("linear2", "2"): each for name, each in weights}
    )
    leading = data.draw(st.lists(st.integers(1, 4), max_size=3), label="leading")
    x = drawn.normal(*leading, drawn.d_model)
    output, of_x, of_weights = gradients(ours, [x], [])
    expected = gradients(theirs, [x], [])
    assert_close(output, expected[0])
    assert_close(of_x, expected[1])
    assert_close(list(of_weights.values()), list(expected[2].values()))


@pytest.mark.parametrize("kind", MASKS)
@relaxed
@given(data=st.data())
def test_the_encoder_layer_equals_that_of_torch(kind, data):
    drawn = Drawn(data)
    sizes = drawn.d_model, drawn.n_heads, drawn.d_ff
    ours = drawn.fill(a4.EncoderLayer(*sizes, dropout=0.0))
    how = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64}
    t = drawn.t_target
    mask = drawn.mask(kind, t, t)
    x = drawn.normal(drawn.batch, t, drawn.d_model)
    theirs = nn.TransformerEncoderLayer(*sizes, **how)
    assert_same(ours, theirs, [x], [mask], [drawn.blocked(mask, t, t)])


@pytest.mark.parametrize("kind", MASKS)
@relaxed
@given(data=st.data())
def test_the_decoder_layer_equals_that_of_torch(kind, data):
    drawn = Drawn(data)
    sizes = drawn.d_model, drawn.n_heads, drawn.d_ff
    ours = drawn.fill(a4.DecoderLayer(*sizes, dropout=0.0))
    how = {"dropout": 0.0, "batch_first": True, "dtype": torch.float64}
    t, t_memory = drawn.t_target, drawn.t_memory
    over_memory = data.draw(st.sampled_from(["none", "padding", "any"]), label="memory mask")
    masks = drawn.mask(kind, t, t), drawn.mask(over_memory, t, t_memory)
    blocked = drawn.blocked(masks[0], t, t), drawn.blocked(masks[1], t, t_memory)
    x = drawn.normal(drawn.batch, t, drawn.d_model)
    memory = drawn.normal(drawn.batch, t_memory, drawn.d_model)
    theirs = nn.TransformerDecoderLayer(*sizes, **how)
    assert_same(ours, theirs, [x, memory], masks, blocked)


@relaxed
@given(data=st.data())
def test_what_is_blocked_is_not_seen_and_the_rest_is(data):
    drawn = Drawn(data)
    layer = drawn.fill(a4.DecoderLayer(drawn.d_model, drawn.n_heads, drawn.d_ff)).eval()
    t, t_memory = 6, 4
    x, memory = (drawn.normal(drawn.batch, each, drawn.d_model) for each in (t, t_memory))
    masks = a4.causal_mask(t), torch.tensor([True, True, True, False])
    before = layer(x, memory, *masks)
    later, hidden = x.clone(), memory.clone()
    later[:, 3:] = drawn.normal(drawn.batch, t - 3, drawn.d_model)
    hidden[:, 3] = 100.0
    after = layer(later, hidden, *masks)
    assert torch.equal(after[:, :3], before[:, :3])
    earlier = x.clone()
    earlier[:, 0] = drawn.normal(drawn.batch, drawn.d_model)
    seen = layer(earlier, memory, *masks) != before
    if drawn.d_model > 2:  # two normed numbers are 1 and -1, whatever comes in
        assert seen.any()


def test_dropout_of_everything_leaves_the_norms():
    generator = torch.Generator().manual_seed(1)
    x, memory = (torch.randn(2, t, 12, generator=generator) for t in (5, 7))
    encoder, decoder = (kind(12, 3, 20, dropout=1.0) for kind in (a4.EncoderLayer, a4.DecoderLayer))
    assert_close(encoder(x), encoder.norm2(encoder.norm1(x)))
    assert_close(decoder(x, memory), decoder.norm3(decoder.norm2(decoder.norm1(x))))
    assert not torch.allclose(encoder.eval()(x), encoder.norm2(encoder.norm1(x)))
    network = a4.FeedForward(12, 20, dropout=1.0)
    assert_close(network(x), network.linear2.bias.expand_as(x))


def test_stays_on_the_device_of_its_inputs_and_leaves_them_alone():
    x, memory = torch.ones(2, 5, 12), torch.ones(2, 7, 12)
    for layer, inputs in (
        (a4.LayerNorm(12), [x]),
        (a4.FeedForward(12, 20), [x]),
        (a4.EncoderLayer(12, 3, 20), [x]),
        (a4.DecoderLayer(12, 3, 20), [x, memory]),
    ):
        assert layer(*inputs).dtype == torch.float32
        assert all((each == 1).all() for each in inputs)
        there = [each.to("meta") for each in inputs]
        assert layer.to("meta")(*there).device.type == "meta"
