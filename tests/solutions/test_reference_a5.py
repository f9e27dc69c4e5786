"""The reference of a5_transformer against torch's own Transformer and against plain loops."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ROOT, load_reference
from torch import nn

from autograder.course import read_course
from autograder.grading import prepare

TOLERANCE = 1e-10
START, END = 1, 2

# The first calls of torch are slow, and no time says anything about the reference.
relaxed = settings(deadline=None, max_examples=25)

a5 = load_reference("a5_transformer")


class Theirs(nn.Module):
    """torch's Transformer, post-norm and without final norms, between embeddings and output."""

    def __init__(self, source_vocab_size, target_vocab_size, d_model, n_heads, d_ff, n_layers):
        super().__init__()
        self.source_embedding = nn.Embedding(source_vocab_size, d_model)
        self.target_embedding = nn.Embedding(target_vocab_size, d_model)
        how = {"dropout": 0.0, "batch_first": True, "norm_first": False, "activation": "relu"}
        encoder_layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, **how)
        decoder_layer = nn.TransformerDecoderLayer(d_model, n_heads, d_ff, **how)
        self.transformer = nn.Transformer(
            d_model,
            n_heads,
            custom_encoder=nn.TransformerEncoder(
                encoder_layer, n_layers, norm=None, enable_nested_tensor=False
            ),
            custom_decoder=nn.TransformerDecoder(decoder_layer, n_layers, norm=None),
            batch_first=True,
        )
        self.output = nn.Linear(d_model, target_vocab_size)

    def forward(self, source, target, pad_id, places):
        """Logits; places (max_len, d_model) is added to the embeddings, which are scaled."""
        t, scale = target.shape[1], places.shape[1] ** 0.5
        return self.output(
            self.transformer(
                scale * self.source_embedding(source) + places[: source.shape[1]],
                scale * self.target_embedding(target) + places[:t],
                tgt_mask=torch.ones(t, t, dtype=torch.bool).triu(1),  # theirs: True is blocked
                src_key_padding_mask=source == pad_id,
                tgt_key_padding_mask=target == pad_id,
                memory_key_padding_mask=source == pad_id,
            )
        )


def theirs_of(name):
    """Where a parameter of ours is in torch's: its name, and which third of it."""
    for ours, other in (
        ("encoder.token_embedding.embedding", "source_embedding"),
        ("decoder.token_embedding.embedding", "target_embedding"),
        ("encoder.layers", "transformer.encoder.layers"),
        ("decoder.layers", "transformer.decoder.layers"),
        ("cross_attn", "multihead_attn"),
        ("feed_forward.", ""),
    ):
        name = name.replace(ours, other)
    for third, projection in enumerate(("q_proj", "k_proj", "v_proj")):
        if projection in name:
            return name.replace(f"{projection}.", "in_proj_"), third
    return name, None


def part(tensor, third):
    return tensor if third is None else tensor.chunk(3)[third]


@st.composite
def problems(draw):
    """Both models with the same random weights, a source and a target, in float64."""
    n_heads, d_k = draw(st.integers(1, 3)), draw(st.sampled_from([4, 6]))
    sizes = st.lists(st.integers(2, 9), min_size=4, max_size=4, unique=True)
    batch, t_source, t_target, d_ff = draw(sizes, label="batch, t_source, t_target, d_ff")
    n_layers = draw(st.integers(1, 3), label="n_layers")
    pad_id = draw(st.sampled_from([0, 3]), label="pad_id")
    torch.manual_seed(draw(st.integers(0, 2**32), label="seed"))
    shape = 11, 13, n_heads * d_k, n_heads, d_ff, n_layers
    ours = a5.Transformer(*shape, max_len=9, dropout=0.0, pad_id=pad_id).double()
    theirs = Theirs(*shape).double()
    with torch.no_grad():
        for name, parameter in ours.named_parameters():
            parameter.uniform_(-1, 1)
            other, third = theirs_of(name)
            part(theirs.get_parameter(other), third).copy_(parameter)
    source, target = tokens(batch, t_source, 11, pad_id), tokens(batch, t_target, 13, pad_id)
    return ours, theirs, source, target


def tokens(batch, t, vocab_size, pad_id):
    """Real tokens with padding anywhere but in front, so that each query has a key."""
    found = torch.randint(4, vocab_size, (batch, t))
    pads = torch.rand(batch, t) < 0.3
    pads[:, 0] = False
    return found.masked_fill(pads, pad_id)


def assert_close(actual, expected, tolerance=TOLERANCE):
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


@relaxed
@given(problem=problems())
def test_logits_and_every_gradient_equal_those_of_torch(problem):
    ours, theirs, source, target = problem
    places = ours.encoder.positional_encoding.encoding  # in float32 when it was made
    actual, expected = ours(source, target), theirs(source, target, ours.pad_id, places)
    assert_close(actual, expected)
    upstream = torch.randn_like(expected)
    actual.backward(upstream)
    expected.backward(upstream)
    for name, parameter in ours.named_parameters():
        other, third = theirs_of(name)
        assert_close(parameter.grad, part(theirs.get_parameter(other).grad, third))
    count = sum(parameter.numel() for parameter in ours.parameters())
    assert count == sum(parameter.numel() for parameter in theirs.parameters())


@relaxed
@given(problem=problems())
def test_encode_and_decode_are_the_halves_of_forward(problem):
    ours, _, source, target = problem
    memory = ours.encode(source)
    assert torch.equal(memory, ours.encoder(source, ours.source_mask(source)))
    hidden = ours.decode(target, memory, source)
    assert hidden.shape == (*target.shape, memory.shape[-1])
    assert torch.equal(ours.output(hidden), ours(source, target))


@relaxed
@given(problem=problems())
def test_the_masks_say_for_each_pair_of_tokens_what_they_must(problem):
    ours, _, source, target = problem
    real = (target != ours.pad_id).tolist()
    t = target.shape[1]
    expected = [[[[row[j] and j <= i for j in range(t)] for i in range(t)]] for row in real]
    assert ours.target_mask(target).dtype == torch.bool
    assert ours.target_mask(target).tolist() == expected
    assert ours.source_mask(source).dtype == torch.bool
    assert ours.source_mask(source).tolist() == [
        [[row]] for row in (source != ours.pad_id).tolist()
    ]


@relaxed
@given(problem=problems(), data=st.data())
def test_padding_and_neighbours_mean_nothing(problem, data):
    ours, _, source, target = problem
    logits = ours(source, target)
    more, row = data.draw(st.integers(1, 2)), data.draw(st.integers(0, len(source) - 1))

    def padded(tokens):
        pads = torch.full((len(tokens), more), ours.pad_id)
        return torch.cat([tokens, pads], dim=1)[:, :9]

    t = target.shape[1]
    assert_close(ours(padded(source), padded(target))[:, :t], logits)
    assert_close(ours(source[row : row + 1], target[row : row + 1]), logits[row : row + 1])


@relaxed
@given(problem=problems(), data=st.data())
def test_a_token_moves_the_logits_from_its_place_on(problem, data):
    ours, _, source, target = problem
    target = torch.where(target == ours.pad_id, 5, target)
    j = data.draw(st.integers(0, target.shape[1] - 1))
    other = target.clone()
    other[:, j] = 12 - (target[:, j] == 12).long()
    before, after = ours(source, target), ours(source, other)
    assert torch.equal(before[:, :j], after[:, :j])
    assert (before[:, j] != after[:, j]).any(-1).all()
    assert (before[:, -1] != after[:, -1]).any()


def decode_alone(model, row, max_len):
    """One sentence without its padding, and the whole of it again for each next word."""
    words = [START]
    sentence = row[row != model.pad_id][None]
    while len(words) < max_len and END not in words[1:]:
        last = model(sentence, torch.tensor([words]))[0, -1].tolist()
        words.append(last.index(max(last)))
    return words


@relaxed
@given(problem=problems(), data=st.data())
def test_greedy_decode_equals_a_loop_that_decodes_each_row_alone(problem, data):
    ours, _, source, _ = problem
    is_pad = (source == ours.pad_id).long()
    source = source.gather(1, is_pad.argsort(dim=1, stable=True))  # with all padding behind
    with torch.no_grad():
        ours.output.bias[END] += data.draw(st.sampled_from([0.0, 1.0, 3.0]), label="eager to end")
        ours.output.bias[ours.pad_id] -= 100.0  # padding is not a word
    max_len = data.draw(st.integers(1, 9), label="max_len")
    training = data.draw(st.booleans())
    got = a5.greedy_decode(ours.train(training), source, START, END, max_len)
    expected = [decode_alone(ours, row, max_len) for row in source]
    width = max(map(len, expected))
    padded = [words + [ours.pad_id] * (width - len(words)) for words in expected]
    assert got.dtype == torch.int64
    assert got.tolist() == padded
    assert all(each.training == training for each in ours.modules())
    assert not got.requires_grad


def test_greedy_decode_reads_the_source_once_without_dropout_or_gradients():
    torch.manual_seed(0)
    model = a5.Transformer(11, 13, 12, 3, 20, 2, dropout=0.9)
    seen = []
    model.encoder.register_forward_hook(lambda module, _, output: seen.append((module, output)))
    source = tokens(4, 7, 11, 0)
    first, second = (a5.greedy_decode(model, source, START, END, 8) for _ in range(2))
    assert torch.equal(first, second)
    assert len(seen) == 2
    assert not any(output.requires_grad for _, output in seen)
    assert model.training


def test_greedy_decode_leaves_the_mode_also_when_it_fails():
    model = a5.Transformer(11, 13, 12, 3, 20, 1, max_len=5)
    with pytest.raises(ValueError, match="5"):
        a5.greedy_decode(model, tokens(2, 7, 11, 0), START, END, 8)
    assert model.training


@pytest.mark.parametrize("name", ["Encoder", "Decoder"])
def test_each_layer_has_weights_of_its_own(name):
    stack = getattr(a5, name)(11, 12, 3, 20, 3)
    assert len({id(parameter) for parameter in stack.parameters()}) == len(stack.state_dict())
    assert {key.split(".")[0] for key in stack.state_dict()} == {"token_embedding", "layers"}
    assert len(stack.layers) == 3


def test_too_many_tokens_are_told_with_both_numbers():
    model = a5.Transformer(11, 13, 12, 3, 20, 1, max_len=9)
    for source, target in ((10, 3), (3, 10)):
        with pytest.raises(ValueError, match=r"10.*9|9.*10"):
            model(
                torch.ones(2, source, dtype=torch.int64), torch.ones(2, target, dtype=torch.int64)
            )
    assert model(*torch.ones(2, 2, 9, dtype=torch.int64)).shape == (2, 9, 13)


def test_stays_on_the_device_and_in_the_dtype_of_its_inputs():
    model = a5.Transformer(11, 13, 12, 3, 20, 2)
    assert model(torch.ones(2, 7).long(), torch.ones(2, 5).long()).dtype == torch.float32
    source = torch.ones(2, 7, dtype=torch.int64, device="meta")
    target = torch.ones(2, 5, dtype=torch.int64, device="meta")
    assert model.to("meta")(source, target).device.type == "meta"


def test_sources_that_matter_are_found_for_a_model_that_hardly_listens():
    """With this secret none of the first 88 is translated otherwise without a mask."""
    secret = "13f48705fb4f6fb7ec45a5d30028fdab642f189bda742ff052b8a991b9c6d3cd"
    exam = prepare(read_course(ROOT), "a5_transformer", secret)
    assert any(each.item == "greedy_words" for each in exam.bank.cases)
