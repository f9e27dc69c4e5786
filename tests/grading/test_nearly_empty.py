"""What a mistake hides is not paid as if it were right."""

from autograder.course import Verdict

RAISES_EARLY = """
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.register_buffer("encoding", sinusoidal_encoding(max_len, d_model), persistent=False)

    def forward(self, x):
        return x + self.encoding
"""


def test_what_would_come_after_an_exception_is_not_taken_for_right(hand_in):
    """Dropout was never written here."""
    result = hand_in("a3_positional_encoding", "positional_encoding", RAISES_EARLY, locate=True)
    lost = {each.item for each in result.items if each.score < each.points}
    assert lost >= {"position_added", "position_too_long", "position_dropout", "position_tensors"}


NO_LAYER = """
class Encoder(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.token_embedding = TokenEmbedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        layers = (EncoderLayer(d_model, n_heads, d_ff, dropout) for _ in range(n_layers))
        self.layers = nn.ModuleList(layers)

    def forward(self, tokens, mask=None):
        return self.positional_encoding(self.token_embedding(tokens))
"""


def test_what_one_thing_alone_would_show_is_not_taken_for_right(hand_in):
    """Where no layer counts, one of six ways to be wrong about a mask would be seen."""
    result = hand_in("a5_transformer", "encoder", NO_LAYER, locate=True)
    lost = {each.item for each in result.items if each.score < each.points}
    assert {"encoder_output", "encoder_mask"} <= lost


NO_WORDS = """
def greedy_decode(model, source, start_id, end_id, max_len):
    pass
"""


def test_what_raises_only_where_something_is_done_is_not_taken_for_seen(hand_in):
    """Other mistakes would raise on the way to nothing; here there is no way."""
    result = hand_in("a5_transformer", "greedy_decode", NO_WORDS, locate=True)
    lost = {each.item for each in result.items if each.score < each.points}
    assert {"greedy_words", "greedy_end", "greedy_care"} <= lost


OF_INTEGERS = """
def padding_mask(tokens, pad_id=0):
    return (tokens != pad_id)[:, None, None].to(torch.uint16)
"""
A_CONSTANT = """
def causal_mask(size, device=None):
    return torch.tensor([3.0, 7.0])
"""


def test_a_line_carries_no_item_in_which_another_part_is_wrong(hand_in):
    alone = hand_in("a1_attention", "padding_mask", OF_INTEGERS, locate=True)
    verdicts = {each.item: each.verdict for each in alone.items}
    assert verdicts["masks_together"] is Verdict.CARRIED  # it is proven

    others = {"causal_mask": A_CONSTANT}
    both = hand_in("a1_attention", "padding_mask", OF_INTEGERS, others, locate=True)
    lost = {each.item for each in both.items if each.score < each.points}
    assert lost == {"padding_mask", "causal_mask", "masks_together"}
