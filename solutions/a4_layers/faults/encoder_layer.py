"""The encoder layer, step by step, and what goes wrong in each step."""

import torch
import torch.nn.functional as F
from torch import nn


class SelfAttentionAndNetwork(nn.Module):
    """One layer of the encoder, post-norm (Vaswani et al. 2017, section 3.1)."""

    of = "EncoderLayer"
    often = (
        *("DropoutNotPassedOn", "NetworkNeverDrops", "RateIsAConstant", "WithoutDropout"),
        *("IgnoresTheMask", "InvertsTheMask", "EpsOfAMillionth", "AddsInPlace"),
        *("PreNorm", "DropsTheSum", "DropsTheResult"),
    )

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.told = dropout
        n_heads, d_ff = self.sizes(d_model, n_heads, d_ff)
        dropout = self.default(dropout)
        self.make_attention(d_model, n_heads)
        self.make_network(d_model, d_ff, dropout)
        self.make_norms(d_model)
        self.p = self.rate(dropout)
        self.dropout = nn.Dropout(self.p)

    def sizes(self, d_model, n_heads, d_ff):
        return self.heads(n_heads), self.width(d_model, d_ff)

    def heads(self, n_heads):
        return n_heads

    def width(self, d_model, d_ff):
        return d_ff

    def default(self, dropout):
        return dropout

    def rate(self, dropout):
        return dropout

    def make_attention(self, d_model, n_heads):
        self.self_attn = MultiHeadAttention(d_model, n_heads)

    def make_network(self, d_model, d_ff, dropout):
        self.feed_forward = FeedForward(d_model, d_ff, dropout)

    def make_norm(self, d_model):
        return LayerNorm(d_model)

    def make_norms(self, d_model):
        self.norm1 = self.make_norm(d_model)
        self.norm2 = self.make_norm(d_model)

    def take(self, x):
        return x

    def read_mask(self, mask, x):
        return mask

    def attend(self, x, mask):
        return self.self_attn(x, x, x, mask)

    def drop(self, said):
        return self.dropout(said)

    def drop_attended(self, said):
        return self.drop(said)

    def drop_fed(self, said):
        return self.drop(said)

    def add(self, x, said):
        return x + said

    def add_attended(self, x, said):
        return self.add(x, said)

    def add_fed(self, x, said):
        return self.add(x, said)

    def norm_attended(self, x):
        return self.norm1(x)

    def norm_fed(self, x):
        return self.norm2(x)

    def frame(self, x, sublayer, drop, add, norm):
        return norm(add(x, drop(sublayer(x))))

    def first(self, x, mask):
        steps = self.drop_attended, self.add_attended, self.norm_attended
        return self.frame(x, lambda y: self.attend(y, mask), *steps)

    def second(self, x, inputs):
        steps = self.drop_fed, self.add_fed, self.norm_fed
        return self.frame(x, self.feed_forward, *steps)

    def give(self, x):
        return x

    def forward(self, x, mask=None):
        x = self.take(x)
        return self.give(self.second(self.first(x, self.read_mask(mask, x)), x))


# The constructor


class HeadsAndWidthExchanged(SelfAttentionAndNetwork):
    """n_heads and d_ff are taken for each other.

    Both are whole numbers, and nothing tells them apart but their order. Which comes first?
    """

    item = "encoder_output"

    def sizes(self, d_model, n_heads, d_ff):
        return d_ff, n_heads


class OneHead(SelfAttentionAndNetwork):
    """The attention has a single head, whatever n_heads is.

    No shape tells how many heads there are. Where is n_heads used?
    """

    item = "encoder_output"

    def heads(self, n_heads):
        return 1


class EightHeads(SelfAttentionAndNetwork):
    """The attention has eight heads, whatever n_heads is.

    Eight is the paper's, and does not divide every d_model. Where is n_heads used?
    """

    item = "encoder_output"

    def heads(self, n_heads):
        return 8


class FourTimesAsWide(SelfAttentionAndNetwork):
    """feed_forward is 4 d_model wide, whatever d_ff is.

    That is the paper's proportion. Where is d_ff used?
    """

    item = "encoder_output"

    def width(self, d_model, d_ff):
        return 4 * d_model


class WidthOf2048(SelfAttentionAndNetwork):
    """feed_forward is 2048 wide, whatever d_ff is.

    That is the paper's number. Where is d_ff used?
    """

    item = "encoder_output"

    def width(self, d_model, d_ff):
        return 2048


class DefaultOfAHalf(SelfAttentionAndNetwork):
    """dropout is 0.5 when nothing is passed.

    That is the default of nn.Dropout. Which one does the docstring give?
    """

    item = "encoder_dropout"

    def default(self, dropout):
        return 0.5 if dropout == 0.1 else dropout


class DefaultOfZero(SelfAttentionAndNetwork):
    """dropout is 0 when nothing is passed.

    That never drops anything. Which default does the docstring give?
    """

    item = "encoder_dropout"

    def default(self, dropout):
        return 0.0 if dropout == 0.1 else dropout


class RateIsAConstant(SelfAttentionAndNetwork):
    """A tenth of what the sublayers say is dropped in train mode, whatever was passed as dropout.

    The default is for those who pass nothing. Is what others pass used, here and not only in
    feed_forward?
    """

    item = "encoder_dropout"

    def rate(self, dropout):
        return 0.1


class RateOfAHalf(SelfAttentionAndNetwork):
    """A half of what the sublayers say is dropped in train mode, whatever was passed as dropout.

    nn.Dropout and F.dropout drop a half when nobody tells them how much. Are they told?
    """

    item = "encoder_dropout"

    def rate(self, dropout):
        return 0.5


class RateOfKeeping(SelfAttentionAndNetwork):
    """dropout is taken for the probability with which a number is kept, not dropped.

    Some libraries count it that way. Which way does torch, and which way the docstring?
    """

    item = "encoder_dropout"

    def rate(self, dropout):
        return 1 - dropout


class AttentionNamedAttention(SelfAttentionAndNetwork):
    """The attention is named attention.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "encoder_output"

    def make_attention(self, d_model, n_heads):
        self.attention = MultiHeadAttention(d_model, n_heads)

    def __getattr__(self, name):
        return super().__getattr__({"self_attn": "attention"}.get(name, name))


class NetworkNamedFfn(SelfAttentionAndNetwork):
    """The feed-forward network is named ffn.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "encoder_output"

    def make_network(self, d_model, d_ff, dropout):
        self.ffn = FeedForward(d_model, d_ff, dropout)

    def __getattr__(self, name):
        return super().__getattr__({"feed_forward": "ffn"}.get(name, name))


class ShorterNames(SelfAttentionAndNetwork):
    """The attention is named attention, and the feed-forward network ffn.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "encoder_output"

    def make_attention(self, d_model, n_heads):
        self.attention = MultiHeadAttention(d_model, n_heads)

    def make_network(self, d_model, d_ff, dropout):
        self.ffn = FeedForward(d_model, d_ff, dropout)

    def __getattr__(self, name):
        return super().__getattr__(
            {"self_attn": "attention", "feed_forward": "ffn"}.get(name, name)
        )


class DropoutNotPassedOn(SelfAttentionAndNetwork):
    """dropout does not get into feed_forward, which keeps its own default.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "encoder_dropout"

    def make_network(self, d_model, d_ff, dropout):
        self.feed_forward = FeedForward(d_model, d_ff)


class NetworkNeverDrops(SelfAttentionAndNetwork):
    """feed_forward never drops anything inside: it is made with a dropout of 0, or without one.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "encoder_dropout"

    def make_network(self, d_model, d_ff, dropout):
        self.feed_forward = FeedForward(d_model, d_ff, 0.0)


class NetworkIsASequential(SelfAttentionAndNetwork):
    """feed_forward is an nn.Sequential of its own, whose parts are named 0 and 2.

    There is a class for it, which you have written, and which drops inside. Is it used?
    """

    item = "encoder_output"

    def make_network(self, d_model, d_ff, dropout):
        parts = nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        self.feed_forward = nn.Sequential(*parts)


class OneNormOfTwoNames(SelfAttentionAndNetwork):
    """norm1 and norm2 are one and the same norm under two names.

    Each frame has a norm of its own, which learns on its own. How often is one made?
    """

    item = "encoder_output"

    def make_norms(self, d_model):
        self.norm1 = self.norm2 = self.make_norm(d_model)


class ThirdNorm(SelfAttentionAndNetwork):
    """There is a third norm among the parameters, norm3.

    How many frames has an encoder layer?
    """

    item = "encoder_output"

    def make_norms(self, d_model):
        super().make_norms(d_model)
        self.norm3 = LayerNorm(d_model)


class EpsOfAMillionth(SelfAttentionAndNetwork):
    """The norms add 1e-6 under the root, where their own default is 1e-5.

    Which number does a norm take when it is told none, and is yours told one?
    """

    item = "encoder_output"

    def make_norm(self, d_model):
        return LayerNorm(d_model, eps=1e-6)


class EpsOfATrillionth(SelfAttentionAndNetwork):
    """The norms add next to nothing under the root, such as 1e-12; their own default is 1e-5.

    Which number does a norm take when it is told none, and is yours told one?
    """

    item = "encoder_output"

    def make_norm(self, d_model):
        return LayerNorm(d_model, eps=1e-12)


class DropoutTakenForEps(SelfAttentionAndNetwork):
    """The norms are passed dropout, which they take for eps.

    What does LayerNorm want behind d_model, and does a norm drop anything?
    """

    item = "encoder_output"

    def make_norm(self, d_model):
        return LayerNorm(d_model, self.told)


class OneNormForAllFrames(SelfAttentionAndNetwork):
    """There is one norm, norm1, for all frames: norm2 is missing.

    Each frame has a norm of its own, which learns on its own. Which names does the docstring give?
    """

    item = "encoder_output"

    def make_norms(self, d_model):
        self.norm1 = self.make_norm(d_model)

    def __getattr__(self, name):
        return super().__getattr__("norm1" if name in ("norm2",) else name)


class NormsAreMissing(SelfAttentionAndNetwork):
    """The norms are not among the parameters: there are none, or they are made anew in forward.

    What is made in forward is forgotten when it returns, and never learns. Where are the other
    parts made?
    """

    item = "encoder_output"

    def make_norms(self, d_model):
        pass

    def __getattr__(self, name):
        if name not in ("norm1", "norm2"):
            return super().__getattr__(name)
        return lambda x: LayerNorm(x.shape[-1])(x)


# The input


class DetachesTheInput(SelfAttentionAndNetwork):
    """No gradient flows back to x, as if it were a constant.

    The layers below this one would never learn. Which call cuts a tensor off from autograd's graph?
    """

    item = "encoder_gradients"

    def take(self, x):
        return x.detach()


class ViewOnTheInput(SelfAttentionAndNetwork):
    """view is called on x, which fails when x is not contiguous in memory.

    Does x need another shape at all? Which other method brings tensors into shape?
    """

    item = "encoder_gradients"

    def take(self, x):
        return x.view(-1, x.shape[-1]).view(x.shape)


class DropsTheInput(SelfAttentionAndNetwork):
    """x passes dropout before anything else, and so does the stream that starts with it.

    Should anything of the stream be lost? Read the frame from the inside out.
    """

    item = "encoder_dropout"

    def take(self, x):
        return self.dropout(x)


class TakesFloat32(SelfAttentionAndNetwork):
    """x is turned into float32, which fails when the parameters are float64.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "encoder_output"

    def take(self, x):
        return x.float()


# The mask


class IgnoresTheMask(SelfAttentionAndNetwork):
    """The mask never reaches the attention.

    It arrives in forward. Who attends, and needs it?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return None


class LastMaskWhereThereIsNone(SelfAttentionAndNetwork):
    """Where no mask is passed, that of an earlier call is used again.

    What does None say? And who asks for the mask of another sentence?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        self.last = getattr(self, "last", None) if mask is None else mask
        return self.last


class InvertsTheMask(SelfAttentionAndNetwork):
    """The mask is turned round on its way: what may be attended to is blocked.

    True means "may attend" here, and in MultiHeadAttention as well.
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return None if mask is None else ~mask


class TransposesTheMask(SelfAttentionAndNetwork):
    """The last two axes of the mask are exchanged: queries are blocked where keys should be.

    Which of the two counts the queries, and which the keys?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return None if mask is None else mask.transpose(-2, -1)


class TransposesTheMaskByMT(SelfAttentionAndNetwork):
    """The last two axes of the mask are exchanged by mT: queries are blocked where keys should be.

    Which of the two counts the queries, and which the keys?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return None if mask is None else mask.mT


class AxisForTheHeads(SelfAttentionAndNetwork):
    """The mask gets one axis more, behind its first one, whatever axes it has already.

    A mask of shape (t, t) fits every head as it is. Who broadcasts it?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return None if mask is None else mask.unsqueeze(1)


class MaskOfTwoAxesIsOfKeys(SelfAttentionAndNetwork):
    """A mask of two axes is taken for (batch, t), real words or not, and gets axes in its middle.

    (t, t) is what causal_mask gives, and fits every head as it is. Who makes the mask of padding,
    and with how many axes?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return mask[:, None, None] if mask is not None and mask.dim() == 2 else mask


class MaskOfThreeAxesGetsAnotherToo(MaskOfTwoAxesIsOfKeys):
    def read_mask(self, mask, x):
        if mask is not None and mask.dim() == 3:
            return mask[:, None]
        return super().read_mask(mask, x)


class MaskOfThreeAxesTakenForBatch(SelfAttentionAndNetwork):
    """A mask of three axes gets a fourth for the heads, as if its first axis were the batch.

    Shapes are aligned from the right: what does the first of three axes stand for, then?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return mask[:, None] if mask is not None and mask.dim() == 3 else mask


class AsManyRowsAsSentencesIsPadding(SelfAttentionAndNetwork):
    """A mask of two axes is taken for one of padding where there are as many sentences as rows.

    Shapes are aligned from the right, however many sentences there are: what are the two axes?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        is_taken = mask is not None and mask.shape == x.shape[:2]
        return mask[:, None, None] if is_taken else mask


class MaskOfTheFirstQuery(SelfAttentionAndNetwork):
    """All queries get the first one's row of the mask, as if it never differed between them.

    Padding is the same for all queries. Is that all that a mask (t, t) can say?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return mask[..., :1, :] if mask is not None and mask.dim() > 1 else mask


class FirstMaskForAll(SelfAttentionAndNetwork):
    """Of a mask with four axes, that of the first sentence is used for all sentences.

    Sentences have different lengths. Is one picked, or an axis cut off?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return mask[:1] if mask is not None and mask.dim() == 4 else mask


class DroppedWhereTheFirstHidesNothing(SelfAttentionAndNetwork):
    """A mask that hides nothing of the first sentence is dropped for all the others as well.

    Sentences have different lengths, and the longest may come first. Of whom does the mask speak?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return None if mask is None or mask[0].all() else mask


class AlwaysCausal(SelfAttentionAndNetwork):
    """Without a mask, self-attention is causal.

    An encoder may read a sentence to its end. Which layer may not?
    """

    item = "encoder_output"

    def read_mask(self, mask, x):
        return causal_mask(x.shape[1], device=x.device) if mask is None else mask


class CausalInPlaceOfTheMask(SelfAttentionAndNetwork):
    """Self-attention is always causal, and the mask that is passed is not used.

    Whoever calls a layer decides what is blocked. What does None say?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return causal_mask(x.shape[1], device=x.device)


class WritesToTheMask(SelfAttentionAndNetwork):
    """The result is right, but the mask itself is written to: the caller's tensor has changed.

    Methods that end in _ and assignments such as mask[...] = write to what was passed.
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        if mask is None:
            return None
        original = mask.clone()
        mask.fill_(True)
        return original


# Attending


class AttendsOverTheBatch(SelfAttentionAndNetwork):
    """Attention runs over the batch: the sentences attend to one another, position by position.

    For modules with the sequence first, exchanging the first two axes is right. Which axis is the
    sequence here?
    """

    item = "encoder_output"

    def attend(self, x, mask):
        return super().attend(x.transpose(0, 1), mask).transpose(0, 1)


class UnpacksAttention(SelfAttentionAndNetwork):
    """What the attention returns is unpacked into two, which takes a batch of two apart: what
    sentence 0 hears is added to both.

    Some attentions return a pair. What does this one return, and where are its weights?
    """

    item = "encoder_output"

    def attend(self, x, mask):
        said, _ = super().attend(x, mask)
        return said


class FirstOfAttention(SelfAttentionAndNetwork):
    """Of what the attention returns [0] is taken: what sentence 0 hears is added to all sentences.

    Some attentions return a pair. What does this one return, and where are its weights?
    """

    item = "encoder_output"

    def attend(self, x, mask):
        return super().attend(x, mask)[0]


# Dropout


class NothingToAttendToIsSkipped(SelfAttentionAndNetwork):
    """Where the mask blocks everything, self-attention is left out.

    Its heads bring back zeros then. What does out_proj still add to them?
    """

    item = "encoder_mask"

    def attend(self, x, mask):
        if mask is not None and not mask.any():
            return torch.zeros_like(x)
        return super().attend(x, mask)


class OpensSilentRows(SelfAttentionAndNetwork):
    """A position that may attend to nothing attends to everything: its row of the mask is opened.

    The attention has zeros for it. What does it make of a row that is opened first?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        return None if mask is None else mask | ~mask.any(-1, keepdim=True)


class DropsTheSameEveryTime(SelfAttentionAndNetwork):
    """EncoderLayer drops the same numbers in every call: the generator is seeded there or put
    back, or what it drew is kept.

    What is learned from numbers that are always dropped, or never? Who else draws there?
    """

    item = "encoder_dropout"

    def forward(self, x, mask=None):
        with torch.random.fork_rng(devices=[]):
            return super().forward(x, mask)


class WithoutDropout(SelfAttentionAndNetwork):
    """What the sublayers say is never dropped: no attention's, and not feed_forward's.

    feed_forward drops inside. Who drops what comes out of it?
    """

    item = "encoder_dropout"

    def drop(self, said):
        return said


class DropsInEvalMode(SelfAttentionAndNetwork):
    """What the sublayers say is dropped in eval mode too, as by F.dropout when it is not told the
    mode, or by an nn.Dropout that eval() does not reach: made anew in forward, or in a plain list.

    A module tells its parts the mode. Which parts does it know, and how would a function learn it?
    """

    item = "encoder_dropout"

    def drop(self, said):
        return F.dropout(said, self.p)


class DropsInEvalModeByRand(DropsInEvalMode):
    def drop(self, said):
        if self.p in (0, 1):
            return super().drop(said)
        return said * (torch.rand(said.shape, device=said.device) < 1 - self.p) / (1 - self.p)


class DropsAttendedInEvalMode(SelfAttentionAndNetwork):
    """What self_attn says is dropped in eval mode too, as by F.dropout without the mode.

    A part made in __init__ knows the mode of the whole. How would the function learn of it?
    """

    item = "encoder_dropout"

    def drop_attended(self, said):
        return F.dropout(said, self.p)


class DropsFedInEvalMode(SelfAttentionAndNetwork):
    """What feed_forward says is dropped in eval mode too, as by F.dropout without the mode.

    A part made in __init__ knows the mode of the whole. How would the function learn of it?
    """

    item = "encoder_dropout"

    def drop_fed(self, said):
        return F.dropout(said, self.p)


class NetworkIsDroppedTwice(SelfAttentionAndNetwork):
    """What feed_forward says passes dropout twice: nearly twice as much of it is lost.

    Count the calls of dropout in the second frame. Where does the formula have one?
    """

    item = "encoder_dropout"

    def drop_fed(self, said):
        return super().drop_fed(self.dropout(said))


class AttentionIsNotDropped(SelfAttentionAndNetwork):
    """What self-attention says is never dropped.

    There are two frames, and both are alike. What differs between yours?
    """

    item = "encoder_dropout"

    def drop_attended(self, said):
        return said


class AttentionAllOrNothing(SelfAttentionAndNetwork):
    """What self-attention says is dropped as a whole or not at all: one coin is tossed for it.

    How many coins should be tossed: one for all, or one for each number?
    """

    item = "encoder_dropout"

    def drop_attended(self, said):
        return self.drop(said.new_ones(())) * said


class NetworkIsNotDropped(SelfAttentionAndNetwork):
    """What feed_forward says is never dropped.

    feed_forward drops inside. Who drops what comes out of it?
    """

    item = "encoder_dropout"

    def drop_fed(self, said):
        return said


# Adding


class WithoutResiduals(SelfAttentionAndNetwork):
    """Nothing is added to the stream: what each sublayer says takes its place.

    What would be left of a word that nobody attends to?
    """

    item = "encoder_output"

    def add(self, x, said):
        return said


class AttentionReplacesTheStream(SelfAttentionAndNetwork):
    """What self-attention says takes the place of the stream, and is not added to it.

    What does feed_forward still know of the word itself?
    """

    item = "encoder_output"

    def add_attended(self, x, said):
        return said


class AddsInPlace(SelfAttentionAndNetwork):
    """What self-attention says is added to x in place: the caller's tensor has changed.

    x += ... writes to the very tensor that was passed. What does x = x + ... do?
    """

    item = "encoder_gradients"

    def add_attended(self, x, said):
        x += said
        return x


class DetachesTheStream(SelfAttentionAndNetwork):
    """The stream is detached where self-attention is added to it: its gradient goes through the
    attention alone.

    The stream carries gradients past every sublayer. Which call cuts it off from autograd's graph?
    """

    item = "encoder_gradients"

    def add_attended(self, x, said):
        return x.detach() + said


class NetworkReplacesTheStream(SelfAttentionAndNetwork):
    """What feed_forward says takes the place of the stream, and is not added to it.

    The frame around feed_forward is the same as the one around attention. What differs in yours?
    """

    item = "encoder_output"

    def add_fed(self, x, said):
        return said


class NetworkAddedToItself(SelfAttentionAndNetwork):
    """What feed_forward says is added to itself, and not to the stream.

    A name that is assigned anew has lost what it stood for. Which x comes from norm1?
    """

    item = "encoder_output"

    def add_fed(self, x, said):
        return said + said


class StreamAddedToItself(SelfAttentionAndNetwork):
    """The stream is added to itself, after dropout, and what feed_forward says is not used.

    What is not assigned, or assigned to another name, is lost. Which of the names is dropped?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return self.norm_fed(self.add_fed(x, self.drop_fed(x)))


# The norms


class FirstNormLeftOut(SelfAttentionAndNetwork):
    """norm1 is not used: the sum after self-attention is not normed.

    Each frame ends with a norm. Which one does the second frame use?
    """

    item = "encoder_output"

    def norm_attended(self, x):
        return x


class SecondNormLeftOut(SelfAttentionAndNetwork):
    """norm2 is not used: the sum after feed_forward is not normed.

    Each frame ends with a norm. Which one does the first frame use?
    """

    item = "encoder_output"

    def norm_fed(self, x):
        return x


class FirstNormTwice(SelfAttentionAndNetwork):
    """norm1 is used in both frames, and norm2 in none.

    In a new layer the two do the same. What if they have learned?
    """

    item = "encoder_output"

    def norm_fed(self, x):
        return self.norm1(x)


class NormsExchanged(SelfAttentionAndNetwork):
    """norm2 comes after self-attention and norm1 after feed_forward: they have changed places.

    In a new layer the two do the same. Which one belongs to which sublayer?
    """

    item = "encoder_output"

    def norm_attended(self, x):
        return self.norm2(x)

    def norm_fed(self, x):
        return self.norm1(x)


# The frames


class PreNorm(SelfAttentionAndNetwork):
    """The norms stand in front of the sublayers, over what these read, and not over the sums.

    That is pre-norm, as in many later models. In which order does the frame above have it?
    """

    item = "encoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return add(x, drop(sublayer(norm(x))))


class NormsWhatIsSaid(SelfAttentionAndNetwork):
    """What each sublayer says is normed, and then added to the stream, which itself meets no norm.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "encoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return add(x, norm(drop(sublayer(x))))


class NormsAndDropsWhatIsSaid(SelfAttentionAndNetwork):
    """What each sublayer says is normed, then dropped, and then added to the stream, which itself
    meets no norm.

    Read the frame from the inside out: what comes last, and over what?
    """

    item = "encoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return add(x, drop(norm(sublayer(x))))


class AttentionNormedBeforeTheSum(SelfAttentionAndNetwork):
    """In the first frame what self-attention says is normed, and then added to the stream.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "encoder_output"

    def first(self, x, mask):
        return x + self.norm_attended(self.drop_attended(self.attend(x, mask)))


class AttentionNormedAndDroppedBeforeTheSum(AttentionNormedBeforeTheSum):
    def first(self, x, mask):
        return x + self.drop_attended(self.norm_attended(self.attend(x, mask)))


class AttentionAddedToTheNormed(SelfAttentionAndNetwork):
    """In the first frame only the stream is normed; what self-attention says is added after that.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "encoder_output"

    def first(self, x, mask):
        return self.norm_attended(x) + self.drop_attended(self.attend(x, mask))


class NetworkNormedBeforeTheSum(SelfAttentionAndNetwork):
    """In the second frame what feed_forward says is normed, and then added to the stream.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return x + self.norm_fed(self.drop_fed(self.feed_forward(x)))


class NetworkNormedAndDroppedBeforeTheSum(NetworkNormedBeforeTheSum):
    def second(self, x, inputs):
        return x + self.drop_fed(self.norm_fed(self.feed_forward(x)))


class NetworkAddedToTheNormed(SelfAttentionAndNetwork):
    """In the second frame only the stream is normed; what feed_forward says is added after that.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return self.norm_fed(x) + self.drop_fed(self.feed_forward(x))


class NetworkReadsWhatAttentionSays(SelfAttentionAndNetwork):
    """feed_forward reads what self-attention says, and not what came after norm1.

    What does the second frame start with, and what has become of it by then?
    """

    item = "encoder_output"

    def attend(self, x, mask):
        self.heard = super().attend(x, mask)
        return self.heard

    def second(self, x, inputs):
        steps = self.drop_fed, self.add_fed, self.norm_fed
        return self.frame(x, lambda _: self.feed_forward(self.heard), *steps)


class NetworkReadsTheNormed(SelfAttentionAndNetwork):
    """x is normed by norm2 before feed_forward reads it, and after it was added to, as well.

    Where does the picture have a norm, and how many has a layer?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        steps = self.drop_fed, self.add_fed, self.norm_fed
        return self.frame(x, lambda y: self.feed_forward(self.norm_fed(y)), *steps)


class InputAddedAtTheEnd(SelfAttentionAndNetwork):
    """The input of the layer is added to its result.

    Each frame has an addition of its own. What comes after the last norm?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return inputs + super().second(x, inputs)


class BareSublayers(SelfAttentionAndNetwork):
    """There are no frames: nothing is added to the stream, and nothing is normed.

    One sublayer follows the other. What goes round each of them, and what stands behind it?
    """

    item = "encoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return drop(sublayer(x))


class DropsTheStream(SelfAttentionAndNetwork):
    """The stream is dropped where a sublayer is added to it, and what the sublayer says is not.

    Which of the two terms of the sum has dropout around it?
    """

    item = "encoder_dropout"

    def frame(self, x, sublayer, drop, add, norm):
        return norm(add(drop(x), sublayer(x)))


class AddedToItsOwnNorm(SelfAttentionAndNetwork):
    """What a sublayer says is added to its own norm: the stream, which it has read, gets lost.

    Of which two is the sum, and where does the norm stand? What does a frame have to be given?
    """

    item = "encoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        said = sublayer(x)
        return add(said, drop(norm(said)))


class DropsTheSum(SelfAttentionAndNetwork):
    """Dropout is applied to the sum, to the stream as well as to what the sublayer says.

    Should anything of the stream be lost? Read the frame from the inside out.
    """

    item = "encoder_dropout"

    def frame(self, x, sublayer, drop, add, norm):
        return norm(drop(add(x, sublayer(x))))


class DropsTheFirstSum(SelfAttentionAndNetwork):
    """In the first frame dropout is applied to the sum, to the stream as well as to what attention
    says.

    Should anything of the stream be lost? Compare your two frames, from the inside out.
    """

    item = "encoder_dropout"

    def drop_attended(self, said):
        return said

    def add_attended(self, x, said):
        return self.drop(self.add(x, said))


class DropsTheSecondSum(SelfAttentionAndNetwork):
    """In the second frame dropout is applied to the sum, to the stream as well as to what
    feed_forward says.

    Should anything of the stream be lost? Compare your two frames, from the inside out.
    """

    item = "encoder_dropout"

    def drop_fed(self, said):
        return said

    def add_fed(self, x, said):
        return self.drop(self.add(x, said))


class DropsTheResult(SelfAttentionAndNetwork):
    """Dropout comes last in each frame, after the norm.

    Should anything of the stream be lost? Read the frame from the inside out.
    """

    item = "encoder_dropout"

    def frame(self, x, sublayer, drop, add, norm):
        return drop(norm(add(x, sublayer(x))))


class DropsTheFirstResult(SelfAttentionAndNetwork):
    """In the first frame dropout comes last, after norm1, and not over what attention says.

    Should anything of the stream be lost? Compare your two frames, from the inside out.
    """

    item = "encoder_dropout"

    def drop_attended(self, said):
        return said

    def norm_attended(self, x):
        return self.drop(self.norm1(x))


class DropsTheSecondResult(SelfAttentionAndNetwork):
    """In the second frame dropout comes last, after norm2, and not over what feed_forward says.

    Should anything of the stream be lost? Compare your two frames, from the inside out.
    """

    item = "encoder_dropout"

    def drop_fed(self, said):
        return said

    def norm_fed(self, x):
        return self.drop(self.norm2(x))


class WithoutAttention(SelfAttentionAndNetwork):
    """Self-attention is not used: the first frame norms x, and that is all.

    How would a word learn of the others?
    """

    item = "encoder_output"

    def first(self, x, mask):
        return self.norm_attended(x)


class WithoutTheFirstFrame(SelfAttentionAndNetwork):
    """The first frame is missing: feed_forward starts from x.

    How would a word learn of the others?
    """

    item = "encoder_output"

    def first(self, x, mask):
        return x


class FirstFrameLost(SelfAttentionAndNetwork):
    """The first frame is computed, but its result is not used: feed_forward starts from x.

    What is not assigned, or assigned to another name, is lost. Which name goes on?
    """

    item = "encoder_output"

    def first(self, x, mask):
        super().first(x, mask)
        return x


class WithoutNetwork(SelfAttentionAndNetwork):
    """feed_forward is not used: the second frame norms the stream, and that is all.

    Two thirds of what a layer can learn are in there. Is it called, and its result used?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return self.norm_fed(x)


class WithoutTheSecondFrame(SelfAttentionAndNetwork):
    """The second frame is missing, or its result is not used: what comes after norm1 is returned.

    What is not assigned, or assigned to another name, is lost. Is there such a name?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return x


class NetworkAddedToTheInput(SelfAttentionAndNetwork):
    """What feed_forward says is added to the input of the layer, not to what came after norm1.

    The second frame begins where the first one ended. Which variable holds that?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return self.norm_fed(self.add_fed(inputs, self.drop_fed(self.feed_forward(x))))


class NetworkReadsTheInput(SelfAttentionAndNetwork):
    """feed_forward reads the input of the layer, and not what came after norm1.

    The second frame begins where the first one ended. Which variable holds that?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return self.norm_fed(self.add_fed(x, self.drop_fed(self.feed_forward(inputs))))


# What is returned


class ReturnsAPair(SelfAttentionAndNetwork):
    """Two things are returned: the stream, and the attention weights.

    What would the next layer do with a pair?
    """

    item = "encoder_output"

    def give(self, x):
        return x, self.self_attn.weights


class SqueezesTheBatch(SelfAttentionAndNetwork):
    """A batch of a single sentence loses its axis.

    Which step squeezes an axis of size 1 away, or picks the first of the batch?
    """

    item = "encoder_output"

    def give(self, x):
        return x.squeeze(0)


class SqueezesEveryAxis(SelfAttentionAndNetwork):
    """Every axis of size 1 is squeezed away.

    squeeze() without a number takes all of them. Which one was meant, if any?
    """

    item = "encoder_output"

    def give(self, x):
        return x.squeeze()


class ReturnsFloat64(SelfAttentionAndNetwork):
    """The result is turned into float64, so that float32 goes in and float64 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "encoder_gradients"

    def give(self, x):
        return x.double()


class ReturnsFloat32(SelfAttentionAndNetwork):
    """The result is turned into float32, so that float64 goes in and float32 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "encoder_output"

    def give(self, x):
        return x.float()


class DropsTheEnd(SelfAttentionAndNetwork):
    """The result of the layer passes one more dropout, behind the last norm.

    Should anything of the stream be lost? How many dropouts has each frame?
    """

    item = "encoder_dropout"

    def give(self, x):
        return self.dropout(x)


class DetachesTheResult(SelfAttentionAndNetwork):
    """No gradient flows back to anything: what is returned is detached from autograd's graph.

    detach, data and torch.no_grad all do that; which of them is at work?
    """

    item = "encoder_gradients"

    def give(self, x):
        return x.detach()


class ThroughNumpy(SelfAttentionAndNetwork):
    """The result goes through numpy: it loses its gradients, and its device.

    numpy knows of neither. What did it have that torch has not?
    """

    item = "encoder_gradients"

    def give(self, x):
        return torch.from_numpy(x.detach().numpy())


# More ways to build the frames


class NetworkFirst(SelfAttentionAndNetwork):
    """The two frames are exchanged: the network comes first, and then the attention.

    In which order does the paper have them, and which norm belongs to which?
    """

    item = "encoder_output"

    def forward(self, x, mask=None):
        x = self.take(x)
        return self.give(self.first(self.second(x, x), self.read_mask(mask, x)))


class NetworkBesideAttention(SelfAttentionAndNetwork):
    """Attention and network read the same x, and what both say is added to it at once.

    What has a word heard when the network comes to think about it?
    """

    item = "encoder_output"

    def second(self, x, inputs):
        return x

    def first(self, x, mask):
        said = self.drop(self.attend(x, mask)) + self.drop(self.feed_forward(x))
        return self.norm2(self.norm1(x + said))


class NormsTheInputToo(SelfAttentionAndNetwork):
    """x is normed by norm1 before the attention reads it, and after it was added to, as
    well.

    Either before or after, and each frame once. Where do the norms stand here?
    """

    item = "encoder_output"

    def attend(self, x, mask):
        return super().attend(self.norm1(x), mask)


class AddsTwice(SelfAttentionAndNetwork):
    """What each sublayer says is added to the stream twice.

    What does the frame add, and has anything been added before?
    """

    item = "encoder_output"

    def add(self, x, said):
        return x + said + said


class AveragesTheStream(SelfAttentionAndNetwork):
    """The mean of the stream and of what the sublayer says is taken, where the two should
    be added.

    A norm takes a factor out again, apart from its eps. What does the frame say?
    """

    item = "encoder_output"

    def add(self, x, said):
        return (x + said) / 2


class AddsToTheNormed(SelfAttentionAndNetwork):
    """Pre-norm, but x itself is lost: what a sublayer says is added to the normed stream.

    Which x is added in the frame: the one before the norm, or the one behind it?
    """

    item = "encoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        y = norm(x)
        return add(y, drop(sublayer(y)))


class SecondNormTwice(SelfAttentionAndNetwork):
    """norm2 is used in both frames, and norm1 in none.

    Each frame has a norm of its own. Compare the two lines.
    """

    item = "encoder_output"

    def norm_attended(self, x):
        return self.norm2(x)


class AttendsWithoutKeys(SelfAttentionAndNetwork):
    """The attention gets the mask as its value: one argument is missing, and the others
    move up.

    How many arguments does the attention take before the mask?
    """

    item = "encoder_output"

    def attend(self, x, mask):
        return self.self_attn(x, x, mask)


class EveryoneHearsItself(SelfAttentionAndNetwork):
    """Each position may attend to itself, whatever the mask says.

    A query that may attend to nothing gets zeros, by attention itself. What is there to mend?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        if mask is None:
            return None
        return mask | torch.eye(x.shape[1], dtype=torch.bool, device=mask.device)


class DiagonalOpenedInPlace(EveryoneHearsItself):
    def read_mask(self, mask, x):
        if mask is not None and mask.shape[-2:] == (x.shape[1], x.shape[1]):
            mask.diagonal(dim1=-2, dim2=-1).fill_(True)
            return mask
        return super().read_mask(mask, x)


class MaskCutWithTheSentences(SelfAttentionAndNetwork):
    """Each sentence is read by itself, and with it one piece of the mask's first axis.

    That axis need not be the batch: a mask may be (t, t), or of size 1 there. Who broadcasts it?
    """

    item = "encoder_mask"

    def attend(self, x, mask):
        said = [
            self.self_attn(one, one, one, None if mask is None else mask[at : at + 1])
            for at, one in enumerate(x.split(1))
        ]
        return torch.cat(said)


class SublayersAllOrNothing(SelfAttentionAndNetwork):
    """What a sublayer says is dropped for a whole sentence or not at all: one coin is tossed.

    That is drop path, of other models. How many coins does dropout toss?
    """

    item = "encoder_dropout"

    def drop(self, said):
        return self.dropout(said.new_ones(len(said), 1, 1)) * said


class DropsAttendedTwice(SelfAttentionAndNetwork):
    """What a sublayer says goes through dropout twice, so that more is dropped than was asked.

    With a dropout of 0.3, how much is left after one, and how much after two?
    """

    item = "encoder_dropout"

    def drop_attended(self, said):
        return self.drop(self.drop(said))


class AsManyMasksAsSentencesAreTheirs(SelfAttentionAndNetwork):
    """A mask of three axes is taken for one of each sentence where its first size is that of the
    batch.

    Shapes are aligned from the right, however many sentences there are: whose is the first axis?
    """

    item = "encoder_mask"

    def read_mask(self, mask, x):
        if mask is not None and mask.dim() == 3 and len(mask) == len(x):
            return mask[:, None]
        return mask
