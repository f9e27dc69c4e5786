"""The decoder layer, step by step, and what goes wrong in each step."""

import torch
import torch.nn.functional as F
from torch import nn


class ThreeFrames(nn.Module):
    """One layer of the decoder, post-norm (Vaswani et al. 2017, section 3.1)."""

    of = "DecoderLayer"
    often = (
        *("DropoutNotPassedOn", "NetworkNeverDrops", "WithoutDropout", "EpsOfAMillionth"),
        *("IgnoresTheTargetMask", "IgnoresTheMemoryMask", "InvertsTheTargetMask"),
        *("ValuesFromTheStream", "SelfAttentionTwice", "PreNorm", "DropsTheResult"),
    )

    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.told = dropout
        n_heads, d_ff = self.sizes(d_model, n_heads, d_ff)
        self.make_attentions(d_model, n_heads)
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

    def rate(self, dropout):
        return dropout

    def make_attentions(self, d_model, n_heads):
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.cross_attn = MultiHeadAttention(d_model, n_heads)

    def make_network(self, d_model, d_ff, dropout):
        self.feed_forward = FeedForward(d_model, d_ff, dropout)

    def make_norm(self, d_model):
        return LayerNorm(d_model)

    def make_norms(self, d_model):
        self.norm1 = self.make_norm(d_model)
        self.norm2 = self.make_norm(d_model)
        self.norm3 = self.make_norm(d_model)

    def take(self, x):
        return x

    def read_memory(self, memory):
        return memory

    def read_target_mask(self, mask, other, x):
        return mask

    def read_memory_mask(self, mask, other, x, memory):
        return mask

    def attend(self, x, memory, mask):
        return self.self_attn(x, x, x, mask)

    def asked(self):
        return self.cross_attn

    def ask(self, x, memory, mask, inputs):
        return self.asked()(x, memory, memory, mask)

    def drop(self, said):
        return self.dropout(said)

    def drop_attended(self, said):
        return self.drop(said)

    def drop_heard(self, said):
        return self.drop(said)

    def drop_fed(self, said):
        return self.drop(said)

    def add(self, x, said):
        return x + said

    def add_attended(self, x, said):
        return self.add(x, said)

    def add_heard(self, x, said, memory):
        return self.add(x, said)

    def add_fed(self, x, said):
        return self.add(x, said)

    def norm_attended(self, x):
        return self.norm1(x)

    def norm_heard(self, x):
        return self.norm2(x)

    def norm_fed(self, x):
        return self.norm3(x)

    def frame(self, x, sublayer, drop, add, norm):
        return norm(add(x, drop(sublayer(x))))

    def first(self, x, memory, mask):
        steps = self.drop_attended, self.add_attended, self.norm_attended
        return self.frame(x, lambda y: self.attend(y, memory, mask), *steps)

    def second(self, x, memory, mask, inputs):
        return self.frame(
            x,
            lambda y: self.ask(y, memory, mask, inputs),
            self.drop_heard,
            lambda y, said: self.add_heard(y, said, memory),
            self.norm_heard,
        )

    def third(self, x):
        return self.frame(x, self.feed_forward, self.drop_fed, self.add_fed, self.norm_fed)

    def stack(self, x, memory, target_mask, memory_mask):
        y = self.first(x, memory, target_mask)
        return self.third(self.second(y, memory, memory_mask, x))

    def give(self, x, memory):
        return x

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        x, read = self.take(x), self.read_memory(memory)
        masks = (
            self.read_target_mask(target_mask, memory_mask, x),
            self.read_memory_mask(memory_mask, target_mask, x, read),
        )
        return self.give(self.stack(x, read, *masks), memory)


# The constructor


class HeadsAndWidthExchanged(ThreeFrames):
    """n_heads and d_ff are taken for each other.

    Both are whole numbers, and nothing tells them apart but their order. Which comes first?
    """

    item = "decoder_output"

    def sizes(self, d_model, n_heads, d_ff):
        return d_ff, n_heads


class OneHead(ThreeFrames):
    """Both attentions have a single head, whatever n_heads is.

    No shape tells how many heads there are. Where is n_heads used?
    """

    item = "decoder_output"

    def heads(self, n_heads):
        return 1


class EightHeads(ThreeFrames):
    """Both attentions have eight heads, whatever n_heads is.

    Eight is the paper's, and does not divide every d_model. Where is n_heads used?
    """

    item = "decoder_output"

    def heads(self, n_heads):
        return 8


class FourTimesAsWide(ThreeFrames):
    """feed_forward is 4 d_model wide, whatever d_ff is.

    That is the paper's proportion. Where is d_ff used?
    """

    item = "decoder_output"

    def width(self, d_model, d_ff):
        return 4 * d_model


class WidthOf2048(ThreeFrames):
    """feed_forward is 2048 wide, whatever d_ff is.

    That is the paper's number. Where is d_ff used?
    """

    item = "decoder_output"

    def width(self, d_model, d_ff):
        return 2048


class RateIsAConstant(ThreeFrames):
    """A tenth of what the sublayers say is dropped in train mode, whatever was passed as dropout.

    The default is for those who pass nothing. Is what others pass used, here and not only in
    feed_forward?
    """

    item = "decoder_dropout"

    def rate(self, dropout):
        return 0.1


class RateOfAHalf(ThreeFrames):
    """A half of what the sublayers say is dropped in train mode, whatever was passed as dropout.

    nn.Dropout and F.dropout drop a half when nobody tells them how much. Are they told?
    """

    item = "decoder_dropout"

    def rate(self, dropout):
        return 0.5


class RateOfKeeping(ThreeFrames):
    """dropout is taken for the probability with which a number is kept, not dropped.

    Some libraries count it that way. Which way does torch, and which way the docstring?
    """

    item = "decoder_dropout"

    def rate(self, dropout):
        return 1 - dropout


class OneAttentionOfTwoNames(ThreeFrames):
    """self_attn and cross_attn are one and the same module under two names.

    Looking back and looking over are learned apart. How often is an attention made?
    """

    item = "decoder_output"

    def make_attentions(self, d_model, n_heads):
        self.self_attn = self.cross_attn = MultiHeadAttention(d_model, n_heads)


class CrossAttentionOfTorch(ThreeFrames):
    """The second attention is named multihead_attn.

    That is how torch names it in a layer of its own. Which name does the docstring give?
    """

    item = "decoder_output"

    def make_attentions(self, d_model, n_heads):
        self.self_attn = MultiHeadAttention(d_model, n_heads)
        self.multihead_attn = MultiHeadAttention(d_model, n_heads)

    def __getattr__(self, name):
        return super().__getattr__({"cross_attn": "multihead_attn"}.get(name, name))


class DropoutNotPassedOn(ThreeFrames):
    """dropout does not get into feed_forward, which keeps its own default.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "decoder_dropout"

    def make_network(self, d_model, d_ff, dropout):
        self.feed_forward = FeedForward(d_model, d_ff)


class NetworkNeverDrops(ThreeFrames):
    """feed_forward never drops anything inside: it is made with a dropout of 0, or without one.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "decoder_dropout"

    def make_network(self, d_model, d_ff, dropout):
        self.feed_forward = FeedForward(d_model, d_ff, 0.0)


class NetworkIsASequential(ThreeFrames):
    """feed_forward is an nn.Sequential of its own, whose parts are named 0 and 2.

    There is a class for it, which you have written, and which drops inside. Is it used?
    """

    item = "decoder_output"

    def make_network(self, d_model, d_ff, dropout):
        parts = nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        self.feed_forward = nn.Sequential(*parts)


class OneNormOfThreeNames(ThreeFrames):
    """norm1, norm2 and norm3 are one and the same norm under three names.

    Each frame has a norm of its own, which learns on its own. How often is one made?
    """

    item = "decoder_output"

    def make_norms(self, d_model):
        self.norm1 = self.norm2 = self.norm3 = self.make_norm(d_model)


class OneNormForTheLastTwoFrames(ThreeFrames):
    """norm2 and norm3 are one and the same norm under two names.

    Each frame has a norm of its own, which learns on its own. How often is one made?
    """

    item = "decoder_output"

    def make_norms(self, d_model):
        self.norm1 = self.make_norm(d_model)
        self.norm2 = self.norm3 = self.make_norm(d_model)


class EpsOfAMillionth(ThreeFrames):
    """The norms add 1e-6 under the root, where their own default is 1e-5.

    Which number does a norm take when it is told none, and is yours told one?
    """

    item = "decoder_output"

    def make_norm(self, d_model):
        return LayerNorm(d_model, eps=1e-6)


class EpsOfATrillionth(ThreeFrames):
    """The norms add next to nothing under the root, such as 1e-12; their own default is 1e-5.

    Which number does a norm take when it is told none, and is yours told one?
    """

    item = "decoder_output"

    def make_norm(self, d_model):
        return LayerNorm(d_model, eps=1e-12)


class DropoutTakenForEps(ThreeFrames):
    """The norms are passed dropout, which they take for eps.

    What does LayerNorm want behind d_model, and does a norm drop anything?
    """

    item = "decoder_output"

    def make_norm(self, d_model):
        return LayerNorm(d_model, self.told)


class OneNormForAllFrames(ThreeFrames):
    """There is one norm, norm1, for all frames: norm2 and norm3 are missing.

    Each frame has a norm of its own, which learns on its own. Which names does the docstring give?
    """

    item = "decoder_output"

    def make_norms(self, d_model):
        self.norm1 = self.make_norm(d_model)

    def __getattr__(self, name):
        return super().__getattr__("norm1" if name in ("norm2", "norm3") else name)


class NormsAreMissing(ThreeFrames):
    """The norms are not among the parameters: there are none, or they are made anew in forward.

    What is made in forward is forgotten when it returns, and never learns. Where are the other
    parts made?
    """

    item = "decoder_output"

    def make_norms(self, d_model):
        pass

    def __getattr__(self, name):
        if name not in ("norm1", "norm2", "norm3"):
            return super().__getattr__(name)
        return lambda x: LayerNorm(x.shape[-1])(x)


# The inputs


class TakesMemoryFirst(ThreeFrames):
    """The first two arguments of forward stand in the other order: memory, and then x.

    Both have the same kind of shape. Which one comes first?
    """

    item = "decoder_output"

    def forward(self, memory, x, target_mask=None, memory_mask=None):
        return super().forward(x, memory, target_mask, memory_mask)


class TakesTheMemoryMaskFirst(ThreeFrames):
    """The last two arguments of forward stand in the other order: memory_mask before target_mask.

    Passed by their names the masks are right. Which one comes first when they are not?
    """

    item = "decoder_masks"

    def forward(self, x, memory, memory_mask=None, target_mask=None):
        return super().forward(x, memory, target_mask, memory_mask)


class DropsTheInput(ThreeFrames):
    """x passes dropout before anything else, and so does the stream that starts with it.

    Should anything of the stream be lost? Read the frame from the inside out.
    """

    item = "decoder_dropout"

    def take(self, x):
        return self.dropout(x)


class TakesFloat32(ThreeFrames):
    """x is turned into float32, which fails when the parameters are float64.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "decoder_output"

    def take(self, x):
        return x.float()


class DetachesTheMemory(ThreeFrames):
    """No gradient flows back to memory, as if it were a constant: the encoder would never learn.

    Which call cuts a tensor off from the graph that autograd keeps?
    """

    item = "decoder_gradients"

    def read_memory(self, memory):
        return memory.detach()


class FirstMemoryForAll(ThreeFrames):
    """The memory of the first sentence of the batch is read for all of them.

    Each sentence has a source of its own. Is one picked, or an axis cut off?
    """

    item = "decoder_output"

    def read_memory(self, memory):
        return memory[:1].expand_as(memory)


class NormsTheMemory(ThreeFrames):
    """memory passes norm2 before it is read.

    The encoder's last layer has normed it already. Which tensors does norm2 have to do with?
    """

    item = "decoder_output"

    def read_memory(self, memory):
        return self.norm2(memory)


# The masks


class IgnoresTheTargetMask(ThreeFrames):
    """target_mask does not reach self-attention, at least not in eval mode: each word sees those
    that are not written yet.

    It arrives in forward. Which of the two attentions needs it?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None


class LastTargetMaskWhereThereIsNone(ThreeFrames):
    """Where no target_mask is passed, that of an earlier call is used again.

    What does None say? And who asks for the mask of another sentence?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        self.last = getattr(self, "last", None) if mask is None else mask
        return self.last


class LastMemoryMaskWhereThereIsNone(ThreeFrames):
    """Where no memory_mask is passed, that of an earlier call is used again.

    What does None say? And who asks for the mask of another sentence?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        self.last_of_memory = getattr(self, "last_of_memory", None) if mask is None else mask
        return self.last_of_memory


class AlwaysCausal(ThreeFrames):
    """Without a target_mask, self-attention is causal.

    Whoever calls a layer decides what is blocked. What does None say?
    """

    item = "decoder_output"

    def read_target_mask(self, mask, other, x):
        return causal_mask(x.shape[1], device=x.device) if mask is None else mask


class CausalInTrainMode(ThreeFrames):
    """In train mode, self-attention is causal when no target_mask is passed.

    A dropout of 0 leaves nothing that train mode may change. Who decides what is blocked, and what
    does None say?
    """

    item = "decoder_dropout"

    def read_target_mask(self, mask, other, x):
        if mask is None and self.training:
            return causal_mask(x.shape[1], device=x.device)
        return mask


class TargetMaskAndACausalOne(ThreeFrames):
    """A causal mask is put on top of target_mask: later words that it allows stay blocked.

    Whoever calls a layer decides what is blocked. What is left of a mask that allows everything?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None if mask is None else mask & causal_mask(x.shape[1], device=x.device)


class TargetMaskOfTwoAxesAndACausalOne(TargetMaskAndACausalOne):
    def read_target_mask(self, mask, other, x):
        if mask is None or mask.dim() != 2:
            return mask
        return mask & causal_mask(x.shape[1], device=x.device)


class CausalWhateverIsPassed(ThreeFrames):
    """Self-attention is causal always: without a target_mask, and on top of one that is passed.

    Whoever calls a layer decides what is blocked. What does None say?
    """

    item = "decoder_output"

    def read_target_mask(self, mask, other, x):
        causal = causal_mask(x.shape[1], device=x.device)
        return causal if mask is None else mask & causal


class CausalInPlaceOfTheMask(ThreeFrames):
    """Self-attention is always causal, and the mask that is passed is not used.

    Whoever calls a layer decides what is blocked. What does None say?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return causal_mask(x.shape[1], device=x.device)


class InvertsTheTargetMask(ThreeFrames):
    """target_mask is turned round on its way: what may be attended to is blocked.

    True means "may attend" here, and in MultiHeadAttention as well.
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None if mask is None else ~mask


class MemoryMaskForTheTarget(ThreeFrames):
    """memory_mask is used in self-attention in the place of target_mask.

    Whose positions does each of the two masks block?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return other


class WritesToTheTargetMask(ThreeFrames):
    """The result is right, but target_mask itself is written to: the caller's tensor has changed.

    Methods that end in _ and assignments such as mask[...] = write to what was passed.
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        if mask is None:
            return None
        original = mask.clone()
        mask.fill_(True)
        return original


class IgnoresTheMemoryMask(ThreeFrames):
    """memory_mask never reaches cross-attention: the padding of the source is read as well.

    It arrives in forward. Which of the two attentions needs it?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return None


class MemoryMaskOfTheFirstQuery(ThreeFrames):
    """All queries get the first one's row of memory_mask, as if it never differed between them.

    Padding is the same for all queries. Is that all that a mask (t_target, t_memory) can say?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return mask[..., :1, :] if mask is not None and mask.dim() > 1 else mask


class MemoryMaskOfTwoAxesTakenForPadding(ThreeFrames):
    """A memory_mask of two axes gets two more in the middle, as if its first axis were the batch.

    Shapes are aligned from the right: which two axes are those of (t_target, t_memory)?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return mask[:, None, None] if mask is not None and mask.dim() == 2 else mask


def _with_an_axis_for_heads(mask):
    return mask.unsqueeze(1) if mask is not None and mask.dim() == 3 else mask


def _taken_for_padding(mask, of):
    is_taken = mask is not None and mask.shape == of.shape[:2]
    return mask[:, None, None] if is_taken else mask


class MasksOfThreeAxesTakenForBatch(ThreeFrames):
    """A mask of three axes gets a fourth for the heads, as if its first axis were the batch.

    Shapes are aligned from the right: what does the first of three axes stand for, then?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return _with_an_axis_for_heads(mask)

    def read_memory_mask(self, mask, other, x, memory):
        return _with_an_axis_for_heads(mask)


class AsManyRowsAsSentencesIsPadding(ThreeFrames):
    """A mask of two axes is taken for one of padding where there are as many sentences as rows.

    Shapes are aligned from the right, however many sentences there are: what are the two axes?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return _taken_for_padding(mask, x)

    def read_memory_mask(self, mask, other, x, memory):
        return _taken_for_padding(mask, memory)


def _if_it_hides_of_the_first(mask):
    return None if mask is None or mask[0].all() else mask


class DroppedWhereTheFirstHidesNothing(ThreeFrames):
    """A mask that hides nothing of the first sentence is dropped for all the others as well.

    Sentences have different lengths, and the longest may come first. Of whom does the mask speak?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return _if_it_hides_of_the_first(mask)


class BothDroppedWhereTheFirstHidesNothing(DroppedWhereTheFirstHidesNothing):
    def read_target_mask(self, mask, other, x):
        return _if_it_hides_of_the_first(mask)


class TargetMaskOfThreeAxesTakenForBatch(ThreeFrames):
    """A target_mask of three axes gets a fourth for the heads, as if its first were the batch.

    Shapes are aligned from the right: what does the first of three axes stand for, then?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return _with_an_axis_for_heads(mask)


class MemoryMaskOfThreeAxesTakenForBatch(ThreeFrames):
    """A memory_mask of three axes gets a fourth for the heads, as if its first were the batch.

    Shapes are aligned from the right: what does the first of three axes stand for, then?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return _with_an_axis_for_heads(mask)


class InvertsTheMemoryMask(ThreeFrames):
    """memory_mask is turned round on its way: what may be attended to is blocked.

    True means "may attend" here, and in MultiHeadAttention as well.
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return None if mask is None else ~mask


class TargetMaskForTheMemory(ThreeFrames):
    """target_mask is used in cross-attention in the place of memory_mask.

    Whose positions does each of the two masks block?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return other


class BothMasksForTheMemory(ThreeFrames):
    """Where target and memory are equally long, cross-attention is put under target_mask, too.

    A mask fits wherever the lengths do. Whose positions does target_mask block?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        fit = mask is not None and other is not None and x.shape[1] == memory.shape[1]
        return mask & other if fit else mask


class BothMasksWhateverTheLengths(ThreeFrames):
    """memory_mask is joined with target_mask: an error, unless target and memory are equally long.

    Whose positions does each of the two masks block, and how many are there?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        other = self.read_target_mask(other, mask, x)  # whatever it is by now
        return mask if mask is None or other is None else mask & other


class TargetMaskWhereMemoryHasNone(ThreeFrames):
    """Without a memory_mask, cross-attention is put under target_mask where the lengths are equal.

    A mask fits wherever the lengths do. Whose positions does target_mask block?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        if mask is None and x.shape[1] == memory.shape[1]:
            return self.read_target_mask(other, mask, x)  # whatever it is by now
        return mask


class CausalMemory(ThreeFrames):
    """Cross-attention is causal, whatever memory_mask is: word i reads memory up to position i.

    The source is written already, all of it. What has to be hidden of it, and what not?
    """

    item = "decoder_output"

    def read_memory_mask(self, mask, other, x, memory):
        shape = x.shape[1], memory.shape[1]
        return torch.ones(shape, dtype=torch.bool, device=x.device).tril()


class MasksExchanged(ThreeFrames):
    """The two masks have changed places: each goes into the other one's attention.

    Whose positions does each of the two block, and who attends to these?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return other

    def read_memory_mask(self, mask, other, x, memory):
        return other


# Self-attention


class SelfAttentionOverMemory(ThreeFrames):
    """self_attn takes its keys and values from memory: the target never sees itself.

    Which of the two attentions looks back at what was written so far?
    """

    item = "decoder_output"

    def attend(self, x, memory, mask):
        return self.self_attn(x, memory, memory, mask)


# Cross-attention


class AsksWithTheInput(ThreeFrames):
    """cross_attn takes its queries from the input of the layer, not from what came after norm1.

    What has the word learned in the first frame, and should it ask in the light of that?
    """

    item = "decoder_output"

    def ask(self, x, memory, mask, inputs):
        return self.asked()(inputs, memory, memory, mask)


class AsksWithTheInputUnderANorm(AsksWithTheInput):
    def ask(self, x, memory, mask, inputs):
        return self.asked()(self.norm_heard(inputs), memory, memory, mask)


class AsksWithWhatWasSaid(ThreeFrames):
    """Cross-attention is asked with what self-attention said, to which nothing was added, and which
    no norm has seen.

    The second frame begins where the first one ended. Which variable holds that?
    """

    item = "decoder_masks"

    def drop_attended(self, said):
        self.said = super().drop_attended(said)
        return self.said

    def ask(self, x, memory, mask, inputs):
        return super().ask(self.said, memory, mask, inputs)


class MemoryAsks(ThreeFrames):
    """memory asks in cross_attn, and the stream answers: queries have changed places with the rest.

    For whom shall something be found out, and where is it looked up?
    """

    item = "decoder_output"

    def ask(self, x, memory, mask, inputs):
        return self.asked()(memory, x, x, mask)


class ValuesFromTheStream(ThreeFrames):
    """cross_attn takes its keys from memory, but its values from the stream.

    What is a mixture of values to tell the target about?
    """

    item = "decoder_output"

    def ask(self, x, memory, mask, inputs):
        return self.asked()(x, memory, x, mask)


class MemoryFromBothSides(ThreeFrames):
    """cross_attn takes its queries and keys from memory, and its values from the stream.

    In which order does MultiHeadAttention take query, key and value?
    """

    item = "decoder_output"

    def ask(self, x, memory, mask, inputs):
        return self.asked()(memory, memory, x, mask)


class LooksAtItselfTwice(ThreeFrames):
    """cross_attn takes keys and values from the stream as well: memory is not read at all.

    How does the target learn what is to be translated?
    """

    item = "decoder_output"

    def ask(self, x, memory, mask, inputs):
        return self.asked()(x, x, x, mask)


class SelfAttentionTwice(ThreeFrames):
    """self_attn reads memory, too: cross_attn is not used.

    There are two attentions, which learn two different things. Which one is called in frame 2?
    """

    item = "decoder_output"

    def asked(self):
        return self.self_attn


class UnpacksAttention(ThreeFrames):
    """What each attention returns is unpacked into two, which takes a batch of two apart: what
    sentence 0 hears is added to both.

    Some attentions return a pair. What does this one return, and where are its weights?
    """

    item = "decoder_output"

    def attend(self, x, memory, mask):
        said, _ = super().attend(x, memory, mask)
        return said

    def ask(self, x, memory, mask, inputs):
        said, _ = super().ask(x, memory, mask, inputs)
        return said


class FirstOfAttention(ThreeFrames):
    """Of what each attention returns [0] is taken: what sentence 0 hears is added to all sentences.

    Some attentions return a pair. What does this one return, and where are its weights?
    """

    item = "decoder_output"

    def attend(self, x, memory, mask):
        return super().attend(x, memory, mask)[0]

    def ask(self, x, memory, mask, inputs):
        return super().ask(x, memory, mask, inputs)[0]


# Dropout


class SilentMemoryIsSkipped(ThreeFrames):
    """Where memory_mask blocks everything, cross-attention is left out.

    Its heads bring back zeros then. What does out_proj still add to them?
    """

    item = "decoder_masks"

    def ask(self, x, memory, mask, inputs):
        if mask is not None and not mask.any():
            return torch.zeros_like(x)
        return super().ask(x, memory, mask, inputs)


class OpensSilentRowsOfMemory(ThreeFrames):
    """A position that may attend to nothing of memory attends to all of it: its row is opened.

    The attention has zeros for it. What does it make of a row that is opened first?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        return None if mask is None else mask | ~mask.any(-1, keepdim=True)


class OpensSilentRowsOfTheTarget(ThreeFrames):
    """A position that may attend to no position of the target attends to all: its row is opened.

    The attention has zeros for it. What does it make of a row that is opened first?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None if mask is None else mask | ~mask.any(-1, keepdim=True)


class DropsTheSameEveryTime(ThreeFrames):
    """DecoderLayer drops the same numbers in every call: the generator is seeded there or put
    back, or what it drew is kept.

    What is learned from numbers that are always dropped, or never? Who else draws there?
    """

    item = "decoder_dropout"

    def forward(self, x, memory, target_mask=None, memory_mask=None):
        with torch.random.fork_rng(devices=[]):
            return super().forward(x, memory, target_mask, memory_mask)


class WithoutDropout(ThreeFrames):
    """What the sublayers say is never dropped: no attention's, and not feed_forward's.

    feed_forward drops inside. Who drops what comes out of it?
    """

    item = "decoder_dropout"

    def drop(self, said):
        return said


class DropsInEvalMode(ThreeFrames):
    """What the sublayers say is dropped in eval mode too, as by F.dropout when it is not told the
    mode, or by an nn.Dropout that eval() does not reach: made anew in forward, or in a plain list.

    A module tells its parts the mode. Which parts does it know, and how would a function learn it?
    """

    item = "decoder_dropout"

    def drop(self, said):
        return F.dropout(said, self.p)


class DropsAttendedInEvalMode(ThreeFrames):
    """What self_attn says is dropped in eval mode too, as by F.dropout without the mode.

    A part made in __init__ knows the mode of the whole. How would the function learn of it?
    """

    item = "decoder_dropout"

    def drop_attended(self, said):
        return F.dropout(said, self.p)


class DropsHeardInEvalMode(ThreeFrames):
    """What cross_attn says is dropped in eval mode too, as by F.dropout without the mode.

    A part made in __init__ knows the mode of the whole. How would the function learn of it?
    """

    item = "decoder_dropout"

    def drop_heard(self, said):
        return F.dropout(said, self.p)


class DropsFedInEvalMode(ThreeFrames):
    """What feed_forward says is dropped in eval mode too, as by F.dropout without the mode.

    A part made in __init__ knows the mode of the whole. How would the function learn of it?
    """

    item = "decoder_dropout"

    def drop_fed(self, said):
        return F.dropout(said, self.p)


class SelfAttentionIsNotDropped(ThreeFrames):
    """What self_attn says is never dropped.

    There are three frames, and all are alike. What differs between yours?
    """

    item = "decoder_dropout"

    def drop_attended(self, said):
        return said


class CrossAttentionIsNotDropped(ThreeFrames):
    """What cross_attn says is never dropped.

    There are three frames, and all are alike. What differs between yours?
    """

    item = "decoder_dropout"

    def drop_heard(self, said):
        return said


class NetworkIsNotDropped(ThreeFrames):
    """What feed_forward says is never dropped.

    feed_forward drops inside. Who drops what comes out of it?
    """

    item = "decoder_dropout"

    def drop_fed(self, said):
        return said


class DropsTheStreamInTheMiddle(ThreeFrames):
    """In the second frame the stream is dropped, and what cross_attn says is not.

    Which of the two terms of the sum has dropout around it?
    """

    item = "decoder_dropout"

    def drop_heard(self, said):
        return said

    def add_heard(self, x, said, memory):
        return self.drop(x) + said


# Adding


class WithoutResiduals(ThreeFrames):
    """Nothing is added to the stream: what each sublayer says takes its place.

    What would be left of a word that nobody attends to?
    """

    item = "decoder_output"

    def add(self, x, said):
        return said


class SelfAttentionReplacesTheStream(ThreeFrames):
    """What self_attn says takes the place of the stream, and is not added to it.

    What can cross-attention no longer ask about?
    """

    item = "decoder_output"

    def add_attended(self, x, said):
        return said


class AddsInPlace(ThreeFrames):
    """What self_attn says is added to x in place: the caller's tensor has changed.

    x += ... writes to the very tensor that was passed. What does x = x + ... do?
    """

    item = "decoder_gradients"

    def add_attended(self, x, said):
        x += said
        return x


class CrossAttentionReplacesTheStream(ThreeFrames):
    """What cross_attn says takes the place of the stream, and is not added to it.

    What is left in the third frame of the words that were written so far?
    """

    item = "decoder_output"

    def add_heard(self, x, said, memory):
        return said


class AddsTheMemory(ThreeFrames):
    """In the second frame, memory stands in the sum, and not the stream.

    memory is only read. To what is added what the target has heard?
    """

    item = "decoder_output"

    def add_heard(self, x, said, memory):
        return self.add(memory, said)


class AddsTheMeanOfMemory(ThreeFrames):
    """In the second frame, the mean of memory over its positions stands in the sum, not the stream.

    memory is only read. To what is added what the target has heard?
    """

    item = "decoder_output"

    def add_heard(self, x, said, memory):
        return self.add(memory.mean(1, keepdim=True), said)


class NetworkReplacesTheStream(ThreeFrames):
    """What feed_forward says takes the place of the stream, and is not added to it.

    The frame around feed_forward is the same as those around attention. What differs in yours?
    """

    item = "decoder_output"

    def add_fed(self, x, said):
        return said


# The norms


class FirstNormLeftOut(ThreeFrames):
    """norm1 is not used: the sum after self_attn is not normed.

    Each frame ends with a norm of its own.
    """

    item = "decoder_output"

    def norm_attended(self, x):
        return x


class SecondNormLeftOut(ThreeFrames):
    """norm2 is not used: the sum after cross_attn is not normed.

    Each frame ends with a norm of its own.
    """

    item = "decoder_output"

    def norm_heard(self, x):
        return x


class ThirdNormLeftOut(ThreeFrames):
    """norm3 is not used: the sum after feed_forward is not normed.

    Each frame ends with a norm of its own.
    """

    item = "decoder_output"

    def norm_fed(self, x):
        return x


class FirstNormTwice(ThreeFrames):
    """norm1 is used in the second frame as well, and norm2 in none.

    In a new layer the two do the same. What if they have learned?
    """

    item = "decoder_output"

    def norm_heard(self, x):
        return self.norm1(x)


class SecondNormTwice(ThreeFrames):
    """norm2 is used in the third frame as well, and norm3 in none.

    In a new layer the two do the same. What if they have learned?
    """

    item = "decoder_output"

    def norm_fed(self, x):
        return self.norm2(x)


class FirstNormThreeTimes(ThreeFrames):
    """norm1 is used in all three frames, and the others in none.

    In a new layer the three do the same. What if they have learned?
    """

    item = "decoder_output"

    def norm_heard(self, x):
        return self.norm1(x)

    def norm_fed(self, x):
        return self.norm1(x)


# The frames


class PreNorm(ThreeFrames):
    """The norms stand in front of the sublayers, over what these read, and not over the sums.

    That is pre-norm, as in many later models. In which order does the frame above have it?
    """

    item = "decoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return add(x, drop(sublayer(norm(x))))


class NormsWhatIsSaid(ThreeFrames):
    """What each sublayer says is normed, and then added to the stream, which itself meets no norm.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "decoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return add(x, norm(drop(sublayer(x))))


class NormsAndDropsWhatIsSaid(ThreeFrames):
    """What each sublayer says is normed, then dropped, and then added to the stream, which itself
    meets no norm.

    Read the frame from the inside out: what comes last, and over what?
    """

    item = "decoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return add(x, drop(norm(sublayer(x))))


class SelfAttentionNormedBeforeTheSum(ThreeFrames):
    """In the first frame what self_attn says is normed, and then added to the stream.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "decoder_output"

    def first(self, x, memory, mask):
        return x + self.norm_attended(self.drop_attended(self.attend(x, memory, mask)))


class SelfAttentionNormedAndDroppedBeforeTheSum(SelfAttentionNormedBeforeTheSum):
    def first(self, x, memory, mask):
        return x + self.drop_attended(self.norm_attended(self.attend(x, memory, mask)))


class SelfAttentionAddedToTheNormed(ThreeFrames):
    """In the first frame only the stream is normed; what self_attn says is added after that.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "decoder_output"

    def first(self, x, memory, mask):
        return self.norm_attended(x) + self.drop_attended(self.attend(x, memory, mask))


class CrossAttentionNormedBeforeTheSum(ThreeFrames):
    """In the second frame what cross_attn says is normed, and then added to the stream.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "decoder_output"

    def second(self, x, memory, mask, inputs):
        return x + self.norm_heard(self.drop_heard(self.ask(x, memory, mask, inputs)))


class CrossAttentionNormedAndDroppedBeforeTheSum(CrossAttentionNormedBeforeTheSum):
    def second(self, x, memory, mask, inputs):
        return x + self.drop_heard(self.norm_heard(self.ask(x, memory, mask, inputs)))


class CrossAttentionAddedToTheNormed(ThreeFrames):
    """In the second frame only the stream is normed; what cross_attn says is added after that.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "decoder_output"

    def second(self, x, memory, mask, inputs):
        return self.norm_heard(x) + self.drop_heard(self.ask(x, memory, mask, inputs))


class NetworkNormedBeforeTheSum(ThreeFrames):
    """In the third frame what feed_forward says is normed, and then added to the stream.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "decoder_output"

    def third(self, x):
        return x + self.norm_fed(self.drop_fed(self.feed_forward(x)))


class NetworkNormedAndDroppedBeforeTheSum(NetworkNormedBeforeTheSum):
    def third(self, x):
        return x + self.drop_fed(self.norm_fed(self.feed_forward(x)))


class NetworkAddedToTheNormed(ThreeFrames):
    """In the third frame only the stream is normed; what feed_forward says is added after that.

    Read the frame from the inside out: which comes first, the addition or the norm?
    """

    item = "decoder_output"

    def third(self, x):
        return self.norm_fed(x) + self.drop_fed(self.feed_forward(x))


class NetworkReadsWhatCrossAttentionSays(ThreeFrames):
    """feed_forward reads what cross_attn says, and not what came after norm2.

    What does the third frame start with, and what has become of it by then?
    """

    item = "decoder_output"

    def ask(self, x, memory, mask, inputs):
        self.heard = super().ask(x, memory, mask, inputs)
        return self.heard

    def third(self, x):
        steps = self.drop_fed, self.add_fed, self.norm_fed
        return self.frame(x, lambda _: self.feed_forward(self.heard), *steps)


class NetworkReadsTheNormed(ThreeFrames):
    """x is normed by norm3 before feed_forward reads it, and after it was added to, as well.

    Where does the picture have a norm, and how many has a layer?
    """

    item = "decoder_output"

    def third(self, x):
        steps = self.drop_fed, self.add_fed, self.norm_fed
        return self.frame(x, lambda y: self.feed_forward(self.norm_fed(y)), *steps)


class InputAddedAtTheEnd(ThreeFrames):
    """The input of the layer is added to its result.

    Each frame has an addition of its own. What comes after the last norm?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        return x + super().stack(x, memory, target_mask, memory_mask)


class BareSublayers(ThreeFrames):
    """There are no frames: nothing is added to the stream, and nothing is normed.

    One sublayer follows the other. What goes round each of them, and what stands behind it?
    """

    item = "decoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        return drop(sublayer(x))


class DropsTheStream(ThreeFrames):
    """The stream is dropped where a sublayer is added to it, and what the sublayer says is not.

    Which of the two terms of the sum has dropout around it?
    """

    item = "decoder_dropout"

    def frame(self, x, sublayer, drop, add, norm):
        return norm(add(drop(x), sublayer(x)))


class AddedToItsOwnNorm(ThreeFrames):
    """What a sublayer says is added to its own norm: the stream, which it has read, gets lost.

    Of which two is the sum, and where does the norm stand? What does a frame have to be given?
    """

    item = "decoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        said = sublayer(x)
        return add(said, drop(norm(said)))


class DropsTheSum(ThreeFrames):
    """Dropout is applied to the sum, to the stream as well as to what the sublayer says.

    Should anything of the stream be lost? Read the frame from the inside out.
    """

    item = "decoder_dropout"

    def frame(self, x, sublayer, drop, add, norm):
        return norm(drop(add(x, sublayer(x))))


class DropsTheFirstSum(ThreeFrames):
    """In the first frame dropout is applied to the sum, to the stream as well as to what self_attn
    says.

    Should anything of the stream be lost? Compare your three frames, from the inside out.
    """

    item = "decoder_dropout"

    def drop_attended(self, said):
        return said

    def add_attended(self, x, said):
        return self.drop(self.add(x, said))


class DropsTheSumInTheMiddle(ThreeFrames):
    """In the second frame dropout is applied to the sum, to the stream as well as to what
    cross_attn says.

    Should anything of the stream be lost? Compare your three frames, from the inside out.
    """

    item = "decoder_dropout"

    def drop_heard(self, said):
        return said

    def add_heard(self, x, said, memory):
        return self.drop(self.add(x, said))


class DropsTheLastSum(ThreeFrames):
    """In the third frame dropout is applied to the sum, to the stream as well as to what
    feed_forward says.

    Should anything of the stream be lost? Compare your three frames, from the inside out.
    """

    item = "decoder_dropout"

    def drop_fed(self, said):
        return said

    def add_fed(self, x, said):
        return self.drop(self.add(x, said))


class DropsTheResult(ThreeFrames):
    """Dropout comes last in each frame, after the norm.

    Should anything of the stream be lost? Read the frame from the inside out.
    """

    item = "decoder_dropout"

    def frame(self, x, sublayer, drop, add, norm):
        return drop(norm(add(x, sublayer(x))))


class DropsTheFirstResult(ThreeFrames):
    """In the first frame dropout comes last, after norm1, and not over what self-attention says.

    Should anything of the stream be lost? Compare your frames, from the inside out.
    """

    item = "decoder_dropout"

    def drop_attended(self, said):
        return said

    def norm_attended(self, x):
        return self.drop(self.norm1(x))


class DropsTheFirstTwoResults(ThreeFrames):
    """In the frames of both attentions dropout comes last, after the norm.

    Should anything of the stream be lost? Compare your frames, from the inside out.
    """

    item = "decoder_dropout"

    def drop_attended(self, said):
        return said

    def norm_attended(self, x):
        return self.drop(self.norm1(x))

    def drop_heard(self, said):
        return said

    def norm_heard(self, x):
        return self.drop(self.norm2(x))


class DropsTheLastResult(ThreeFrames):
    """In the last frame dropout comes last, after norm3, and not over what feed_forward says.

    Should anything of the stream be lost? Compare your frames, from the inside out.
    """

    item = "decoder_dropout"

    def drop_fed(self, said):
        return said

    def norm_fed(self, x):
        return self.drop(self.norm3(x))


class WithoutSelfAttention(ThreeFrames):
    """self_attn is not used: the first frame norms x, and that is all.

    How would a word learn of those that were written before it?
    """

    item = "decoder_output"

    def first(self, x, memory, mask):
        return self.norm_attended(x)


class WithoutTheFirstFrame(ThreeFrames):
    """The first frame is missing: cross-attention starts from x.

    What should a word know of those before it when it asks memory?
    """

    item = "decoder_output"

    def first(self, x, memory, mask):
        return x


class FirstFrameLost(ThreeFrames):
    """The first frame is computed, but its result is not used: cross-attention starts from x.

    What is not assigned, or assigned to another name, is lost. Which name goes on?
    """

    item = "decoder_output"

    def first(self, x, memory, mask):
        super().first(x, memory, mask)
        return x


class WithoutCrossAttention(ThreeFrames):
    """cross_attn is not used: the second frame norms the stream, and that is all.

    How does the target learn what is to be translated?
    """

    item = "decoder_output"

    def second(self, x, memory, mask, inputs):
        return self.norm_heard(x)


class WithoutTheSecondFrame(ThreeFrames):
    """The second frame is missing: feed_forward follows after norm1.

    How does the target learn what is to be translated?
    """

    item = "decoder_output"

    def second(self, x, memory, mask, inputs):
        return x


class SecondFrameLost(ThreeFrames):
    """The second frame is computed, but its result is not used: feed_forward follows after norm1.

    What is not assigned, or assigned to another name, is lost. Which name goes on?
    """

    item = "decoder_output"

    def second(self, x, memory, mask, inputs):
        super().second(x, memory, mask, inputs)
        return x


class AsksUnderAMaskOnly(ThreeFrames):
    """The second frame is left out when there is no memory_mask: memory is not read then.

    A mask says what may be read. What may be read when there is none?
    """

    item = "decoder_output"

    def second(self, x, memory, mask, inputs):
        return x if mask is None else super().second(x, memory, mask, inputs)


class WithoutNetwork(ThreeFrames):
    """feed_forward is not used: the third frame norms the stream, and that is all.

    Is it called, and its result used?
    """

    item = "decoder_output"

    def third(self, x):
        return self.norm_fed(x)


class CrossAttentionFirst(ThreeFrames):
    """The first two frames are exchanged: the target reads memory before it looks back at itself.

    In which order do the rows of the table stand?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        y = self.second(x, memory, memory_mask, x)
        return self.third(self.first(y, memory, target_mask))


class TargetNeverSeesItself(ThreeFrames):
    """The first frame works on memory, under target_mask, and gives cross_attn its values: the
    target never sees itself.

    Who should look back in the first frame, and on which stream should it add what it finds?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        values = self.first(memory, memory, target_mask)
        heard = self.drop_heard(self.cross_attn(x, memory, values, memory_mask))
        return self.third(self.norm_heard(self.add_heard(x, heard, memory)))


# What is returned


class ReturnsAPair(ThreeFrames):
    """Two things are returned: the stream, and the weights of cross_attn.

    What would the next layer do with a pair?
    """

    item = "decoder_output"

    def give(self, x, memory):
        return x, self.cross_attn.weights


class SqueezesTheLength(ThreeFrames):
    """A target of a single position loses its axis.

    Which step squeezes an axis of size 1 away, or picks the last position?
    """

    item = "decoder_output"

    def give(self, x, memory):
        return x.squeeze(1)


class WritesToTheMemory(ThreeFrames):
    """The result is right, but memory itself is written to: the caller's tensor has changed.

    Operators such as *= and methods that end in _ write to the very tensor that was passed.
    """

    item = "decoder_gradients"

    def give(self, x, memory):
        memory.mul_(2.0)
        return x


class ReturnsFloat64(ThreeFrames):
    """The result is turned into float64, so that float32 goes in and float64 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "decoder_gradients"

    def give(self, x, memory):
        return x.double()


class ReturnsFloat32(ThreeFrames):
    """The result is turned into float32, so that float64 goes in and float32 comes out.

    The dtype of x is the caller's choice; which step changes it?
    """

    item = "decoder_output"

    def give(self, x, memory):
        return x.float()


class DropsTheEnd(ThreeFrames):
    """The result of the layer passes one more dropout, behind the last norm.

    Should anything of the stream be lost? How many dropouts has each frame?
    """

    item = "decoder_dropout"

    def give(self, x, memory):
        return self.dropout(x)


class DetachesTheResult(ThreeFrames):
    """No gradient flows back to anything: what is returned is detached from autograd's graph.

    detach, data and torch.no_grad all do that; which of them is at work?
    """

    item = "decoder_gradients"

    def give(self, x, memory):
        return x.detach()


# More ways to build the frames


class KeysFromTheStream(ThreeFrames):
    """cross_attn takes its keys from the stream, but its values from memory.

    Each value is found by its key. From where must both come?
    """

    item = "decoder_output"

    def ask(self, x, memory, mask, inputs):
        return self.asked()(x, x, memory, mask)


class CrossAttentionAddedToTheInput(ThreeFrames):
    """What cross_attn says is added to the input of the layer, not to what came after
    norm1.

    Which stream goes through the second frame?
    """

    item = "decoder_output"

    def second(self, x, memory, mask, inputs):
        said = self.drop_heard(self.ask(x, memory, mask, inputs))
        return self.norm_heard(self.add_heard(inputs, said, memory))


class NetworkAddedToTheInput(ThreeFrames):
    """What feed_forward says is added to the input of the layer, not to what came after
    norm2.

    Which stream goes through the third frame?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        y = self.second(self.first(x, memory, target_mask), memory, memory_mask, x)
        return self.norm_fed(self.add_fed(x, self.drop_fed(self.feed_forward(y))))


class NetworkAddedToTheFirstFrame(ThreeFrames):
    """What feed_forward says is added to what came after norm1, not to what came after
    norm2.

    Which stream goes through the third frame?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        first = self.first(x, memory, target_mask)
        y = self.second(first, memory, memory_mask, x)
        return self.norm_fed(self.add_fed(first, self.drop_fed(self.feed_forward(y))))


class NetworkReadsTheFirstFrame(ThreeFrames):
    """feed_forward reads what came after norm1, not what came after norm2.

    What has a word heard from memory when the network comes to think about it?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        first = self.first(x, memory, target_mask)
        y = self.second(first, memory, memory_mask, x)
        return self.norm_fed(self.add_fed(y, self.drop_fed(self.feed_forward(first))))


class NetworkReadsTheInput(ThreeFrames):
    """feed_forward reads the input of the layer, not what came after norm2.

    What has a word heard when the network comes to think about it?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        y = self.second(self.first(x, memory, target_mask), memory, memory_mask, x)
        return self.norm_fed(self.add_fed(y, self.drop_fed(self.feed_forward(x))))


class NetworkBeforeMemory(ThreeFrames):
    """The last two frames are exchanged: the network comes before the memory is read.

    In which order does the paper have the three?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        y = self.third(self.first(x, memory, target_mask))
        return self.second(y, memory, memory_mask, x)


class NetworkBeforeMemoryNormedInOrder(NetworkBeforeMemory):
    def norm_heard(self, x):
        return self.norm3(x)

    def norm_fed(self, x):
        return self.norm2(x)


class CrossAttentionInTheFirstFrame(ThreeFrames):
    """cross_attn looks back at the target, and self_attn reads memory: the two have changed
    places.

    Which of them looks at what was written so far?
    """

    item = "decoder_output"

    def attend(self, x, memory, mask):
        return self.cross_attn(x, x, x, mask)

    def asked(self):
        return self.self_attn


class CrossAttentionTwice(ThreeFrames):
    """cross_attn looks back at the target, too: self_attn is not used.

    There are two attentions, which learn two different things. Which one is called in frame
    1?
    """

    item = "decoder_output"

    def attend(self, x, memory, mask):
        return self.cross_attn(x, x, x, mask)


class TransposesTheTargetMask(ThreeFrames):
    """The last two axes of target_mask are exchanged: words see what comes after them.

    Which of the two counts the queries, and which the keys?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None if mask is None else mask.transpose(-2, -1)


class IgnoresBothMasks(ThreeFrames):
    """Neither mask reaches its attention.

    They arrive in forward. Who attends, and needs which of them?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None

    def read_memory_mask(self, mask, other, x, memory):
        return None


class InvertsBothMasks(ThreeFrames):
    """Both masks are turned round on their way: what may be attended to is blocked.

    True means "may attend" here, and in MultiHeadAttention as well.
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None if mask is None else ~mask

    def read_memory_mask(self, mask, other, x, memory):
        return None if mask is None else ~mask


class NormsExchanged(ThreeFrames):
    """norm1 and norm2 have changed places.

    Each frame has a norm of its own, in their order. Compare the lines.
    """

    item = "decoder_output"

    def norm_attended(self, x):
        return self.norm2(x)

    def norm_heard(self, x):
        return self.norm1(x)


class LastNormsExchanged(ThreeFrames):
    """norm2 and norm3 have changed places.

    Each frame has a norm of its own, in their order. Compare the lines.
    """

    item = "decoder_output"

    def norm_heard(self, x):
        return self.norm3(x)

    def norm_fed(self, x):
        return self.norm2(x)


class FirstNormAtTheEnd(ThreeFrames):
    """norm1 is used in the third frame as well, and norm3 in none.

    Each frame has a norm of its own. Compare the lines.
    """

    item = "decoder_output"

    def norm_fed(self, x):
        return self.norm1(x)


class ThirdNormInTheSecondFrame(ThreeFrames):
    """norm3 is used in the second frame as well, and norm2 in none.

    Each frame has a norm of its own. Compare the lines.
    """

    item = "decoder_output"

    def norm_heard(self, x):
        return self.norm3(x)


class SquareMemory(ThreeFrames):
    """The self-attention gets memory for its values.

    Which of the two attentions looks back at what was written so far?
    """

    item = "decoder_output"

    def attend(self, x, memory, mask):
        return self.self_attn(x, x, memory, mask)


class AddsTwice(ThreeFrames):
    """What each sublayer says is added to the stream twice.

    What does the frame add, and has anything been added before?
    """

    item = "decoder_output"

    def add(self, x, said):
        return x + said + said


class AddsToTheNormed(ThreeFrames):
    """Pre-norm, but the stream itself is lost: what a sublayer says is added to the normed
    stream.

    Which x is added in the frame: the one before the norm, or the one behind it?
    """

    item = "decoder_output"

    def frame(self, x, sublayer, drop, add, norm):
        y = norm(x)
        return add(y, drop(sublayer(y)))


class AddsInPlaceLater(ThreeFrames):
    """From the second frame on the stream is added to in place, although a sublayer has
    kept it for its backward pass: backward raises an error.

    += writes to the very tensor. What may autograd still need it for?
    """

    item = "decoder_gradients"

    def add_heard(self, x, said, memory):
        x += said
        return x

    def add_fed(self, x, said):
        x += said
        return x


class KeepsTheMemory(ThreeFrames):
    """In eval mode the memory of the first call is kept, and serves later calls, too.

    The next sentence has a memory of its own. How would the layer notice?
    """

    item = "decoder_output"

    def read_memory(self, memory):
        known = getattr(self, "memory", None)
        if self.training or known is None or known.shape != memory.shape:
            self.memory = memory
        return self.memory


class OneMaskAloneIsIgnored(ThreeFrames):
    """Where one of the two masks is missing, the other is ignored as well.

    In encoder-only tests both are None. Which of them does a decoder get without the other?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None if other is None else mask

    def read_memory_mask(self, mask, other, x, memory):
        return None if other is None else mask


class SinglePositionStandsForItself(ThreeFrames):
    """A target of a single position is taken for what self_attn says of it.

    A position that attends to itself alone hears its value. What has become of it on the way?
    """

    item = "decoder_output"

    def attend(self, x, memory, mask):
        return x if x.shape[1] == 1 else super().attend(x, memory, mask)


class NoTargetMaskForOnePosition(ThreeFrames):
    """With a single position, the target mask is not looked at.

    A causal mask has nothing to hide there. Is every target mask a causal one?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        return None if x.shape[1] == 1 else mask


class DropsHeardTwice(ThreeFrames):
    """What a sublayer says goes through dropout twice, so that more is dropped than was asked.

    With a dropout of 0.3, how much is left after one, and how much after two?
    """

    item = "decoder_dropout"

    def drop_heard(self, said):
        return self.drop(self.drop(said))


class DropsAttendedTwice(DropsHeardTwice):
    def drop_heard(self, said):
        return self.drop(said)

    def drop_attended(self, said):
        return self.drop(self.drop(said))


class DropsFedTwice(DropsHeardTwice):
    def drop_heard(self, said):
        return self.drop(said)

    def drop_fed(self, said):
        return self.drop(self.drop(said))


class AsManyTargetMasksAsSentencesAreTheirs(ThreeFrames):
    """A target_mask of three axes is taken for one of each sentence where its first size is that of
    the batch.

    Shapes are aligned from the right, however many sentences there are: whose is the first axis?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other, x):
        if mask is not None and mask.dim() == 3 and len(mask) == len(x):
            return mask[:, None]
        return mask


class AsManyMemoryMasksAsSentencesAreTheirs(ThreeFrames):
    """A memory_mask of three axes is taken for one of each sentence where its first size is that of
    the batch.

    Shapes are aligned from the right, however many sentences there are: whose is the first axis?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other, x, memory):
        if mask is not None and mask.dim() == 3 and len(mask) == len(x):
            return mask[:, None]
        return mask
