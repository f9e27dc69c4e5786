"""The Transformer, step by step, and what goes wrong in each step."""

import torch
from torch import nn


class TwoStacks(nn.Module):
    """An encoder, a decoder and an output layer, and the masks between them."""

    of = "Transformer"
    often = (
        *("MaxLenNotForwarded", "DropoutNotForwarded", "PadIdIsZero", "NoCausality"),
        *("NoMaskInTheEncoder", "NoMaskInTheCrossAttention", "Softmax"),
        *("NoPaddingInTheTarget", "TargetMaskOfFloats"),
    )

    def __init__(
        self,
        source_vocab_size,
        target_vocab_size,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        n_layers=6,
        max_len=512,
        dropout=0.1,
        pad_id=0,
    ):
        super().__init__()
        self.n_heads = n_heads
        sizes = self.sizes(d_model, n_heads, d_ff, n_layers, max_len, dropout)
        self.make_stacks(*self.vocabularies(source_vocab_size, target_vocab_size), sizes)
        self.make_output(d_model, source_vocab_size, target_vocab_size)
        self.share_embeddings()
        self.tie_output()
        self.keep_padding(pad_id)

    def keep_padding(self, pad_id):
        self.pad_id = pad_id

    def sizes(self, d_model, n_heads, d_ff, n_layers, max_len, dropout):
        return {
            "d_model": d_model,
            "n_heads": self.heads(n_heads),
            "d_ff": self.width(d_model, d_ff),
            "n_layers": self.depth(n_layers),
            "max_len": self.longest(max_len),
            "dropout": self.rate(dropout),
        }

    def heads(self, n_heads):
        return n_heads

    def width(self, d_model, d_ff):
        return d_ff

    def depth(self, n_layers):
        return n_layers

    def longest(self, max_len):
        return max_len

    def rate(self, dropout):
        return dropout

    def vocabularies(self, source, target):
        return source, target

    def make_stacks(self, source, target, sizes):
        self.encoder = Encoder(source, **sizes)
        self.decoder = Decoder(target, **sizes)

    def make_output(self, d_model, source, target):
        self.output = nn.Linear(d_model, target)

    def share_embeddings(self):
        pass

    def tie_output(self):
        pass

    # The masks

    def real(self, tokens):
        return padding_mask(tokens, self.pad_id)  # (batch, 1, 1, t)

    def earlier(self, target):
        return causal_mask(target.shape[1], device=target.device)  # (t, t)

    def both(self, real, earlier):
        return real & earlier  # (batch, 1, t, t)

    def real_source(self, source):
        return self.real(source)

    def number_source(self, mask):
        return mask

    def shape_source_mask(self, mask):
        return mask

    def source_mask(self, source):
        return self.shape_source_mask(self.number_source(self.real_source(source)))

    def give_target_mask(self, mask):
        return mask

    def spread(self, mask):
        return mask

    def number(self, mask):
        return mask

    def target_mask(self, target):
        mask = self.give_target_mask(self.both(self.real(target), self.earlier(target)))
        return self.spread(self.number(mask))

    # Reading

    def read(self, source):
        return source

    def mask_of_encoder(self, source):
        return self.source_mask(source)

    def encode(self, source):
        source = self.read(source)
        return self.encoder(source, self.mask_of_encoder(source))

    # Writing

    def written(self, target, source):
        return target

    def recall(self, memory):
        return memory

    def mask_of_self_attention(self, target, source):
        return self.target_mask(target)

    def mask_of_cross_attention(self, target, source):
        return self.source_mask(source)

    def decode(self, target, memory, source):
        masks = (
            self.mask_of_self_attention(target, source),
            self.mask_of_cross_attention(target, source),
        )
        return self.decoder(self.written(target, source), self.recall(memory), *masks)

    # From two sentences to logits

    def take(self, source, target):
        return source, target

    def remember(self, memory):
        return memory

    def project(self, x):
        return self.output(x)

    def finish(self, logits):
        return logits

    def give(self, logits):
        return logits

    def forward(self, source, target):
        source, target = self.take(source, target)
        memory = self.remember(self.encode(source))
        return self.give(self.finish(self.project(self.decode(target, memory, source))))


# Making the parts


class MaxLenNotForwarded(TwoStacks):
    """max_len gets into neither stack: both keep their own default.

    Which sentence should be too long, and who would notice?
    """

    item = "max_len"

    def longest(self, max_len):
        return 512  # their default


class DropoutNotForwarded(TwoStacks):
    """dropout gets into neither stack: both keep their own default.

    Who drops anything, and what do they have to be told for it?
    """

    item = "arguments"

    def rate(self, dropout):
        return 0.1  # their default


class StacksKeepTheirDefaults(TwoStacks):
    """Neither max_len nor dropout gets into the stacks, which keep their own defaults.

    Compare the arguments of Encoder with those that you hand to it.
    """

    item = "max_len"

    def longest(self, max_len):
        return 512

    def rate(self, dropout):
        return 0.1


class MaxLenAndDropoutExchanged(TwoStacks):
    """The stacks get dropout and max_len in the wrong order, which makes max_len a probability.

    What are the arguments of Encoder, in their order?
    """

    item = "transformer_output"

    def sizes(self, d_model, n_heads, d_ff, n_layers, max_len, dropout):
        return super().sizes(d_model, n_heads, d_ff, n_layers, dropout, max_len)


class EightHeads(TwoStacks):
    """The stacks have eight heads, whatever n_heads is.

    Eight is the paper's, and does not divide every d_model. Where is n_heads used?
    """

    item = "transformer_output"

    def heads(self, n_heads):
        return 8


class HeadsAndWidthExchanged(TwoStacks):
    """The stacks get n_heads and d_ff in the wrong order, which makes d_ff the number of heads.

    What are the arguments of Encoder and Decoder, in their order?
    """

    item = "transformer_output"

    def sizes(self, d_model, n_heads, d_ff, n_layers, max_len, dropout):
        return super().sizes(d_model, d_ff, n_heads, n_layers, max_len, dropout)


class TwoHeads(TwoStacks):
    """The stacks have two heads, whatever n_heads is.

    No shape tells how many heads there are. Where is n_heads used?
    """

    item = "transformer_output"

    def heads(self, n_heads):
        return 2


class WidthOfFourTimes(TwoStacks):
    """The feed-forward parts are 4 d_model wide, whatever d_ff is.

    That is the paper's proportion. Where is d_ff used?
    """

    item = "arguments"

    def width(self, d_model, d_ff):
        return 4 * d_model


class WidthOf2048(TwoStacks):
    """The feed-forward parts are 2048 wide, whatever d_ff is.

    That is the paper's number. Where is d_ff used?
    """

    item = "arguments"

    def width(self, d_model, d_ff):
        return 2048


class SixLayers(TwoStacks):
    """There are six layers in each stack, whatever n_layers is.

    Six is the paper's. Where is n_layers used?
    """

    item = "arguments"

    def depth(self, n_layers):
        return 6


class OneLayer(TwoStacks):
    """There is one layer in each stack, whatever n_layers is.

    Where is n_layers used? For n_layers=1 it makes no difference.
    """

    item = "arguments"

    def depth(self, n_layers):
        return 1


class VocabulariesExchanged(TwoStacks):
    """The stacks get each other's vocabulary: the encoder that of the target, and vice versa.

    Which language does the encoder read?
    """

    item = "arguments"

    def vocabularies(self, source, target):
        return target, source


class SourceVocabularyForBoth(TwoStacks):
    """Both stacks get the vocabulary of the source.

    Which words does the decoder read?
    """

    item = "arguments"

    def vocabularies(self, source, target):
        return source, source


class TargetVocabularyForBoth(TwoStacks):
    """Both stacks get the vocabulary of the target.

    Which words does the encoder read?
    """

    item = "arguments"

    def vocabularies(self, source, target):
        return target, target


class TooLongIsCutOff(TwoStacks):
    """What is longer than max_len is cut off before it is read, and nothing is raised.

    Whoever called gets an answer to another question. What does the docstring raise?
    """

    item = "max_len"

    def take(self, source, target):
        longest = len(self.encoder.positional_encoding.encoding)
        return source[:, :longest], target[:, :longest]


class MaxLenForTheEncoderOnly(TwoStacks):
    """max_len gets into the encoder, but the decoder keeps its own default.

    Which sentence should be too long, and who would notice?
    """

    item = "max_len"

    def make_stacks(self, source, target, sizes):
        self.encoder = Encoder(source, **sizes)
        self.decoder = Decoder(target, **{**sizes, "max_len": 512})


class DropoutForTheEncoderOnly(TwoStacks):
    """dropout gets into the encoder, but the decoder keeps its own default.

    Who drops anything, and what do they have to be told for it?
    """

    item = "arguments"

    def make_stacks(self, source, target, sizes):
        self.encoder = Encoder(source, **sizes)
        self.decoder = Decoder(target, **{**sizes, "dropout": 0.1})


class MaxLenForTheDecoderOnly(TwoStacks):
    """max_len gets into the decoder, but the encoder keeps its own default.

    Which sentence should be too long, and who would notice?
    """

    item = "max_len"

    def make_stacks(self, source, target, sizes):
        self.encoder = Encoder(source, **{**sizes, "max_len": 512})
        self.decoder = Decoder(target, **sizes)


class DropoutForTheDecoderOnly(TwoStacks):
    """dropout gets into the decoder, but the encoder keeps its own default.

    Who drops anything, and what do they have to be told for it?
    """

    item = "arguments"

    def make_stacks(self, source, target, sizes):
        self.encoder = Encoder(source, **{**sizes, "dropout": 0.1})
        self.decoder = Decoder(target, **sizes)


class OutputWithoutBias(TwoStacks):
    """The output layer has no bias.

    The words of a language are not equally frequent. Who tells the logits?
    """

    item = "arguments"

    def make_output(self, d_model, source, target):
        self.output = nn.Linear(d_model, target, bias=False)


class OutputCalledGenerator(TwoStacks):
    """The output layer is called generator.

    Parameters are loaded by their names. Which one is in the docstring?
    """

    item = "arguments"

    def make_output(self, d_model, source, target):
        self.generator = nn.Linear(d_model, target)

    def project(self, x):
        return self.generator(x)


class OutputIsMissing(TwoStacks):
    """The output layer is not among the parameters: there is none, or it is made anew in forward.

    What is made in forward is forgotten when it returns, and never learns. Where are the other
    parts made?
    """

    item = "arguments"

    def make_output(self, d_model, source, target):
        pass


class OutputForTheSource(TwoStacks):
    """The output layer gives logits for the words of the source.

    In which language does the Transformer write?
    """

    item = "arguments"

    def make_output(self, d_model, source, target):
        self.output = nn.Linear(d_model, source)


class EmbeddingsShared(TwoStacks):
    """Both stacks have the same embedding, that of the source.

    In the paper the languages have one vocabulary. How many are there here?
    """

    item = "arguments"

    def share_embeddings(self):
        self.decoder.token_embedding = self.encoder.token_embedding


class EmbeddingsSharedWhereTheyFit(EmbeddingsShared):
    def share_embeddings(self):
        one, other = self.encoder.token_embedding, self.decoder.token_embedding
        if one.embedding.weight.shape == other.embedding.weight.shape:
            super().share_embeddings()


class OutputSharesTheEmbedding(TwoStacks):
    """The weight of the output layer is that of the decoder's embedding.

    The paper does so; the docstring here says what is shared. Whose gradients meet in one weight?
    """

    item = "arguments"

    def tie_output(self):
        self.output.weight = self.decoder.token_embedding.embedding.weight


# The masks


class PadIdIsZero(TwoStacks):
    """Both masks look for padding as 0, whatever pad_id is.

    With another pad_id, 0 is a word like any other. Where is pad_id used?
    """

    item = "transformer_masks"

    def real(self, tokens):
        return padding_mask(tokens)


class PadIdUnderAnotherName(TwoStacks):
    """There is no attribute pad_id: the id of the padding is kept under another name, or not.

    Names are fixed here. Who else asks the model for its padding, and by which name?
    """

    item = "transformer_masks"

    def keep_padding(self, pad_id):
        self.pad_idx = pad_id

    def real(self, tokens):
        return padding_mask(tokens, self.pad_idx)


class TrueAtPads(TwoStacks):
    """Both masks have real tokens and padding exchanged: real tokens are blocked.

    True means "may attend" here, and in padding_mask as well.
    """

    item = "transformer_masks"

    def real(self, tokens):
        return ~padding_mask(tokens, self.pad_id)


class SourceMaskTurnedRound(TwoStacks):
    """The source's mask is turned round: True at padding, and False at words.

    What does True mean in a mask here, and where does the source have it?
    """

    item = "transformer_masks"

    def real_source(self, source):
        return ~self.real(source)


class NoCausality(TwoStacks):
    """The target's mask knows padding, but not time: each word sees those that come after it.

    Which word shall be predicted at a position, and may it be seen there?
    """

    item = "transformer_masks"

    def earlier(self, target):
        return torch.ones_like(causal_mask(target.shape[1], device=target.device))


class CausalInTrainModeAlone(TwoStacks):
    """The target's mask knows time in train mode alone: in eval mode each word sees those after it.

    A model that writes word by word has no later words to see. Do you compute the logits of whole
    sentences in eval mode, too?
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        return real & (earlier if self.training else torch.ones_like(earlier))


class CausalInEvalModeAlone(TwoStacks):
    """The target's mask knows time in eval mode alone: in train mode each word sees those after it.

    In train mode all words of the target are there at once. Which of them must not be seen?
    """

    item = "arguments"

    def both(self, real, earlier):
        return real & (torch.ones_like(earlier) if self.training else earlier)


class SeesTheFuture(TwoStacks):
    """The causal mask is transposed: each word sees itself and those that come after it.

    Row i is query i, and column j is key j. Which keys came before it?
    """

    item = "transformer_masks"

    def earlier(self, target):
        return super().earlier(target).T


class OnlyTheFuture(TwoStacks):
    """The causal mask is turned round: each word sees those that come after it, and no others.

    True means "may attend" here, and in causal_mask as well.
    """

    item = "transformer_masks"

    def earlier(self, target):
        return ~super().earlier(target)


class WithoutTheDiagonal(TwoStacks):
    """No word sees itself, and the first one sees nothing.

    A position shall predict the word that follows it. Which words are known there?
    """

    item = "transformer_masks"

    def earlier(self, target):
        return super().earlier(target).tril(-1)


class CausalMaskOnTheDefaultDevice(TwoStacks):
    """The causal mask is made on torch's default device, and the tokens may be elsewhere.

    What is the second argument of causal_mask?
    """

    item = "transformer_tensors"

    def earlier(self, target):
        return causal_mask(target.shape[1])


class CausalMaskOfTheBatch(TwoStacks):
    """The causal mask has the size of the batch, not of the sentence.

    Which axis of the target counts its words?
    """

    item = "transformer_masks"

    def earlier(self, target):
        return causal_mask(target.shape[0], device=target.device)


class EitherMask(TwoStacks):
    """In the target's mask a key is allowed when one of the two masks allows it, be it only one.

    A later word that is no padding: may it be seen?
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        return real | earlier


class NoPaddingInTheTarget(TwoStacks):
    """The target's mask knows time, but not padding.

    In a batch, sentences have different lengths. What stands in front of a word may be padding.
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        return earlier.expand(len(real), 1, -1, -1)


class EachHearsItself(TwoStacks):
    """In the target's mask every position may attend to itself, padding, too.

    Whose rows would be empty without that: those of real tokens, or of padding? Who reads what
    comes there?
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        itself = torch.eye(earlier.shape[-1], dtype=torch.bool, device=earlier.device)
        return super().both(real, earlier) | itself


class CausalMaskAlone(TwoStacks):
    """The target's mask is the causal mask alone, (t, t), without padding and without a batch.

    In a batch, sentences have different lengths. Can they have one mask in common?
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        return earlier


class PaddingMaskAlone(TwoStacks):
    """The target's mask is the padding mask alone, (batch, 1, 1, t), without causality.

    Which word shall be predicted at a position, and may it be seen there?
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        return real


class PaddingOnTheQueries(TwoStacks):
    """In the target's mask the padding blocks queries where it should block keys.

    Nobody should listen to padding. Does it matter what padding listens to?
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        return real.transpose(-2, -1) & earlier


class WordsAreCounted(TwoStacks):
    """The words of a row are counted, and so many columns are read, the first ones: padding that
    stands before a word is read, and the last words are not.

    How long a row is says nothing of where its padding stands. What of each token says so?
    """

    item = "transformer_masks"

    def real(self, tokens):
        words = (tokens != self.pad_id).sum(dim=1)  # (batch,)
        columns = torch.arange(tokens.shape[1], device=tokens.device)
        return (columns < words[:, None])[:, None, None, :]  # (batch, 1, 1, t)


class WordsAreCountedOnTheDefaultDevice(TwoStacks):
    """The words of a row are counted, and so many columns are read, the first ones, wherever its
    padding stands; and the columns are numbered on torch's default device.

    How long a row is says nothing of where its padding stands. What of each token says so?
    """

    item = "transformer_masks"

    def real(self, tokens):
        words = (tokens != self.pad_id).sum(dim=1)  # (batch,)
        return (torch.arange(tokens.shape[1]) < words[:, None])[:, None, None, :]


class EndsAtTheFirstPad(TwoStacks):
    """A row ends at its first pad: words that stand behind padding are blocked, too.

    Padding may stand in front of words, and between them. What of each token says that it is some?
    """

    item = "transformer_masks"

    def real(self, tokens):
        return super().real(tokens).int().cummin(dim=-1).values.bool()


class TargetEndsAtItsFirstPad(TwoStacks):
    """A target ends at its first pad: words that stand behind padding are blocked, too; in the
    source they are not.

    Padding may stand in front of words, and between them. What of each token says that it is some?
    """

    item = "transformer_masks"

    def both(self, real, earlier):
        return super().both(real.int().cummin(dim=-1).values.bool(), earlier)


class SourceMaskOfFloats(TwoStacks):
    """The source's mask holds the numbers 0.0 and 1.0, not the truth values of torch.bool.

    What padding_mask gives is torch.bool. Which step makes numbers of it?
    """

    item = "transformer_masks"

    def number_source(self, mask):
        return mask.float()


class SourcePadIdIsZero(TwoStacks):
    """The source's mask looks for padding as 0, whatever pad_id is; the target's does not.

    With another pad_id, 0 is a word like any other. Where is pad_id used?
    """

    item = "transformer_masks"

    def real_source(self, source):
        return padding_mask(source)


class SourceMaskWithoutNewAxes(TwoStacks):
    """The source's mask is (batch, t_source): the two axes of size 1 are missing.

    It has to broadcast to (batch, n_heads, t, t_source). How are shapes aligned for that?
    """

    item = "transformer_masks"

    def shape_source_mask(self, mask):
        return mask[:, 0, 0]


class TargetMaskOfFloats(TwoStacks):
    """The target's mask holds the numbers 0.0 and 1.0, not the truth values of torch.bool.

    What the two masks and & give is torch.bool. Which step makes numbers of it?
    """

    item = "transformer_masks"

    def number(self, mask):
        return mask.float()


# Reading


class OverwritesThePads(TwoStacks):
    """Padding of the source is overwritten with another token, in place, before it is read.

    Whoever looks for padding in the source afterwards finds none. Which step writes in place?
    """

    item = "transformer_output"

    def read(self, source):
        source[source == self.pad_id] = 1
        return source


class NoMaskInTheEncoder(TwoStacks):
    """The encoder reads the source without its mask.

    Padding is a token like any other to it then. Who listens to it?
    """

    item = "transformer_output"

    def mask_of_encoder(self, source):
        return None


class SingleSentenceReadWithoutAMask(TwoStacks):
    """A batch of one sentence is read without its mask.

    It seems to have nothing to be filled up to. Who says that its padding was cut off?
    """

    item = "transformer_padding"

    def mask_of_encoder(self, source):
        return super().mask_of_encoder(source) if len(source) > 1 else None


class CausalMaskInTheEncoder(TwoStacks):
    """The encoder reads the source under a causal mask: no word hears those after it.

    Why may the decoder not look ahead, and does it hold for the encoder?
    """

    item = "transformer_output"

    def mask_of_encoder(self, source):
        return self.target_mask(source)


# Writing


class DecoderReadsTheSource(TwoStacks):
    """The decoder gets the tokens of the source where those of the target belong.

    What does it know then of what has been written so far?
    """

    item = "transformer_output"

    def written(self, target, source):
        return source[:, : target.shape[1]]


class MemoryOfTheFirstRow(TwoStacks):
    """Every sentence of the batch reads the memory of the first one.

    Each target has a source of its own. Is one picked, or an axis cut off?
    """

    item = "transformer_output"

    def recall(self, memory):
        return memory[:1].expand_as(memory)


class NoMaskInTheCrossAttention(TwoStacks):
    """The decoder reads the memory without the source's mask.

    The memory has a row for each token of padding too. Who tells the cross-attention?
    """

    item = "transformer_output"

    def mask_of_cross_attention(self, target, source):
        return None


class NoMaskInTheSelfAttention(TwoStacks):
    """The decoder reads the target without its mask.

    The mask is made, and may be right. Who has to get it?
    """

    item = "transformer_output"

    def mask_of_self_attention(self, target, source):
        return None


class NoMasksInTheDecoder(TwoStacks):
    """The decoder gets neither mask.

    The masks are made, and may be right. Who has to get them?
    """

    item = "transformer_output"

    def mask_of_self_attention(self, target, source):
        return None

    def mask_of_cross_attention(self, target, source):
        return None


class MasksExchanged(TwoStacks):
    """The decoder gets its two masks in the wrong order.

    What are the arguments of Decoder, in their order? Which keys does each mask speak of?
    """

    item = "transformer_output"

    def mask_of_self_attention(self, target, source):
        return self.source_mask(source)

    def mask_of_cross_attention(self, target, source):
        return self.target_mask(target)


class PaddingMaskInTheSelfAttention(TwoStacks):
    """The decoder reads the target under its padding mask alone, without causality.

    There is a method that makes the target's whole mask. Where is it called?
    """

    item = "transformer_output"

    def mask_of_self_attention(self, target, source):
        return padding_mask(target, self.pad_id)


# From two sentences to logits


class SourceAndTargetExchanged(TwoStacks):
    """forward takes the target for the source, and the source for the target.

    In which order does the docstring name them?
    """

    item = "transformer_output"

    def take(self, source, target):
        return target, source


class ShiftsTheTarget(TwoStacks):
    """forward leaves out the last token of the target.

    Whoever trains the model does so for it. How many logits are asked for?
    """

    item = "transformer_output"

    def take(self, source, target):
        return source, target[:, :-1]


class PadsTheFront(TwoStacks):
    """forward shifts the target to the right: padding in front, and the last token cut off.

    Whoever trains the model does so for it. Which token may the logits at a position see?
    """

    item = "transformer_output"

    def take(self, source, target):
        front = torch.full_like(target[:, :1], self.pad_id)
        return source, torch.cat([front, target[:, :-1]], dim=1)


class DetachesTheMemory(TwoStacks):
    """The memory is detached: no gradient flows back to the encoder, which never learns.

    detach, data and torch.no_grad all cut autograd's graph. Which one is at work?
    """

    item = "transformer_tensors"

    def remember(self, memory):
        return memory.detach()


class OutputLayerLeftOut(TwoStacks):
    """forward returns what decode gives, (batch, t, d_model): the output layer is not called.

    A logit is asked for each word of the target language. Who makes them?
    """

    item = "transformer_output"

    def project(self, x):
        return x


class DecodeGivesLogits(TwoStacks):
    """decode returns logits: the output layer is called there, not in forward.

    What does the docstring of decode say it returns?
    """

    item = "transformer_output"

    def decode(self, target, memory, source):
        return self.output(super().decode(target, memory, source))

    def project(self, x):
        return x


class Softmax(TwoStacks):
    """A softmax makes probabilities of the logits.

    A cross-entropy does its own. What does a second softmax make of the first one's result?
    """

    item = "transformer_output"

    def finish(self, logits):
        return logits.softmax(dim=-1)


class LogSoftmax(TwoStacks):
    """A log_softmax makes logarithms of probabilities of the logits.

    No softmax, says the docstring. Who makes one of them later?
    """

    item = "transformer_output"

    def finish(self, logits):
        return logits.log_softmax(dim=-1)


class SoftmaxOverTheBatch(TwoStacks):
    """A softmax runs over the batch, as it may without dim.

    No softmax, says the docstring. Over which axis would it make sense, and over which not?
    """

    item = "transformer_output"

    def finish(self, logits):
        return logits.softmax(dim=0)


class SoftmaxOverThePositions(TwoStacks):
    """A softmax runs over the positions of the target.

    No softmax, says the docstring. Over which axis would it make sense, and over which not?
    """

    item = "transformer_output"

    def finish(self, logits):
        return logits.softmax(dim=1)


class LastPositionAlone(TwoStacks):
    """Only the logits of the last position are returned.

    Writing needs no more. From how many positions does training learn?
    """

    item = "transformer_output"

    def give(self, logits):
        return logits[:, -1]


class LogitsTransposed(TwoStacks):
    """The logits are (batch, target_vocab_size, t): their last two axes are exchanged.

    Some loss functions want it so. What does the docstring want?
    """

    item = "transformer_output"

    def give(self, logits):
        return logits.transpose(1, 2)


class LogitsFlattened(TwoStacks):
    """The logits are (batch * t, target_vocab_size): two axes have become one.

    Some loss functions want it so. What does the docstring want?
    """

    item = "transformer_output"

    def give(self, logits):
        return logits.flatten(0, 1)


class ReturnsFloat32(TwoStacks):
    """The logits are turned into float32, whatever the dtype of the parameters is.

    That is the caller's choice; which step changes it?
    """

    item = "transformer_output"

    def give(self, logits):
        return logits.float()


class ReturnsWords(TwoStacks):
    """forward returns the likeliest word of each position, not the logits.

    Can a gradient flow through an argmax?
    """

    item = "transformer_output"

    def give(self, logits):
        return logits.argmax(dim=-1)


class DecodeAloneHearsPadding(TwoStacks):
    """decode leaves the source's mask out when it is called by itself; forward has all masks.

    Who calls decode, when a sentence is written word by word?
    """

    item = "transformer_padding"

    def decode(self, target, memory, source):
        return self.decoder(target, memory, self.target_mask(target))

    def forward(self, source, target):
        return self.output(super().decode(target, self.encode(source), source))


class EncodeAloneHearsPadding(TwoStacks):
    """encode leaves the source's mask out when it is called by itself; forward has it.

    Who calls encode, when a sentence is written word by word?
    """

    item = "transformer_padding"

    def mask_of_encoder(self, source):
        whole = getattr(self, "whole", False)
        return super().mask_of_encoder(source) if whole else None

    def forward(self, source, target):
        self.whole = True
        logits = super().forward(source, target)
        self.whole = False
        return logits


# More of the masks, the stacks and the logits


class TargetMaskInTheCrossAttention(TwoStacks):
    """The cross-attention gets the padding of the target, where it reads the source.

    The memory has a row for each token of which sentence?
    """

    item = "transformer_output"

    def mask_of_cross_attention(self, target, source):
        return self.real(target)


class WholeTargetMaskInTheCrossAttention(TwoStacks):
    """The cross-attention gets the target's mask, where it reads the source.

    The memory has a row for each token of which sentence?
    """

    item = "transformer_output"

    def mask_of_cross_attention(self, target, source):
        return self.target_mask(target)


class SourceMaskInTheSelfAttention(TwoStacks):
    """The decoder reads the target under the source's mask.

    Whose padding is in the target, and who keeps a word from seeing what follows?
    """

    item = "transformer_output"

    def mask_of_self_attention(self, target, source):
        return self.source_mask(source)


class OneTooFar(TwoStacks):
    """Each word of the target may also see the one that comes right after it.

    Where does the triangle begin: at the diagonal, or one beside it?
    """

    item = "transformer_masks"

    def earlier(self, target):
        size = target.shape[1]
        return torch.ones(size, size, dtype=torch.bool, device=target.device).tril(1)


class TargetMaskOfThreeAxes(TwoStacks):
    """The target's mask is (batch, t, t): the axis for the heads is missing.

    Which shape does the docstring give? Shapes are aligned from the right.
    """

    item = "transformer_masks"

    def give_target_mask(self, mask):
        return mask.squeeze(1)


class TargetMaskOfIntegers(TwoStacks):
    """The target's mask holds whole numbers 0 and 1, not the truth values of torch.bool.

    For whole numbers ~ is something else than for truth values. What does & give?
    """

    item = "transformer_masks"

    def number(self, mask):
        return mask.long()


class TargetMaskOfInt32(TwoStacks):
    """The target's mask holds 0 and 1 as torch.int32, not the truth values of torch.bool.

    For whole numbers ~ is something else than for truth values. What does & give?
    """

    item = "transformer_masks"

    def number(self, mask):
        return mask.int()


class TargetMaskOfBytes(TwoStacks):
    """The target's mask holds 0 and 1 as torch.uint8, not the truth values of torch.bool.

    For whole numbers ~ is something else than for truth values. What does & give?
    """

    item = "transformer_masks"

    def number(self, mask):
        return mask.byte()


class TargetMaskInverted(TwoStacks):
    """The target's mask is True where nothing may be seen: the other way round.

    True means "may attend" in every part of the model.
    """

    item = "transformer_masks"

    def give_target_mask(self, mask):
        return ~mask


class SourceMaskOfThreeAxes(TwoStacks):
    """The source's mask is (batch, 1, t_source): one of the two axes of size 1 is missing.

    Which shape does the docstring give? Shapes are aligned from the right.
    """

    item = "transformer_masks"

    def shape_source_mask(self, mask):
        return mask.squeeze(1)


class SourceMaskForEveryQuery(TwoStacks):
    """The source's mask is (batch, 1, t_source, t_source): its row is repeated for every query.

    A target of another length asks with it, too. Which shape fits any number of queries?
    """

    item = "transformer_masks"

    def shape_source_mask(self, mask):
        return mask.expand(-1, -1, mask.shape[-1], -1)

    def mask_of_cross_attention(self, target, source):
        return self.number_source(self.real_source(source))


class SourceMaskForEveryHead(TwoStacks):
    """The source's mask is (batch, n_heads, t_source, t_source): its row is repeated for every
    head and every query.

    It broadcasts. Which shape does the docstring give, and who else wants to use the mask?
    """

    item = "transformer_masks"

    def shape_source_mask(self, mask):
        return mask.expand(-1, self.n_heads, mask.shape[-1], -1)

    def mask_of_cross_attention(self, target, source):
        return self.number_source(self.real_source(source))


class TargetMaskForEveryHead(TwoStacks):
    """The target's mask is (batch, n_heads, t, t): it is repeated for every head.

    It broadcasts. Which shape does the docstring give?
    """

    item = "transformer_masks"

    def spread(self, mask):
        return mask.expand(-1, self.n_heads, -1, -1)


class SourceMaskBlocksPaddedQueriesToo(TwoStacks):
    """The source's mask is (batch, 1, t_source, t_source), and False where the query or the key is
    padding.

    What a padded query receives is looked at by nobody. Which axis of the scores counts the keys?
    """

    item = "transformer_masks"

    def source_mask(self, source):
        mask = super().source_mask(source)
        return mask & mask.transpose(-2, -1)

    def mask_of_cross_attention(self, target, source):
        return self.real(source)


class SourceMaskOfIntegers(TwoStacks):
    """The source's mask holds whole numbers 0 and 1, not the truth values of torch.bool.

    For whole numbers ~ is something else than for truth values. What does a comparison
    give?
    """

    item = "transformer_masks"

    def number_source(self, mask):
        return mask.long()


class TargetPadIdIsZero(TwoStacks):
    """The target's mask looks for padding as 0, whatever pad_id is; the source's does not.

    Where is pad_id kept, and which of the two masks asks for it?
    """

    item = "transformer_masks"

    def target_mask(self, target):
        return self.give_target_mask(self.both(padding_mask(target), self.earlier(target)))


class EncoderReadsTheTarget(TwoStacks):
    """The encoder of forward reads the target: the source is not read.

    Which of the two sentences is read, and which one written?
    """

    item = "transformer_output"

    def forward(self, source, target):
        memory = self.remember(self.encode(target))
        return self.give(self.finish(self.project(self.decode(target, memory, target))))


class EmbeddingOfTheTargetForBoth(TwoStacks):
    """The embedding of the decoder takes the place of the encoder's, as with one embedding
    for both.

    The two languages have words of their own. How many embeddings are made?
    """

    item = "transformer_output"

    def share_embeddings(self):
        self.encoder.token_embedding = self.decoder.token_embedding


class LogitsScaled(TwoStacks):
    """The logits are divided by the root of d_model.

    Where does the paper scale, and what does it scale there?
    """

    item = "transformer_output"

    def finish(self, logits):
        return logits / self.output.in_features**0.5


class ReluBeforeTheOutput(TwoStacks):
    """What the decoder gives goes through a ReLU before the output layer.

    Is there a function between the last layer and the logits?
    """

    item = "transformer_output"

    def project(self, x):
        return self.output(x.relu())


class DetachesTheLogits(TwoStacks):
    """The logits are detached: no gradient flows back to anything.

    detach, data and torch.no_grad cut autograd's graph. What does the model learn then?
    """

    item = "transformer_tensors"

    def finish(self, logits):
        return logits.detach()


class ReturnsTheMemoryToo(TwoStacks):
    """forward returns a pair: the logits, and the memory.

    Which alone does the docstring ask for?
    """

    item = "transformer_output"

    def forward(self, source, target):
        return super().forward(source, target), self.encode(source)


class LastLogitsLeftOut(TwoStacks):
    """The last position of the target is left out of the logits.

    How long is the target that was passed, and for which of its words are logits asked?
    """

    item = "transformer_output"

    def give(self, logits):
        return logits[:, :-1]


class FirstLogitsLeftOut(TwoStacks):
    """The first position of the target is left out of the logits.

    How long is the target that was passed, and for which of its words are logits asked?
    """

    item = "transformer_output"

    def give(self, logits):
        return logits[:, 1:]


class SourceMaskIsKept(TwoStacks):
    """The source's mask is kept, and serves the next source of the same shape, too.

    Padding stands at other places there. What has to be looked at before a mask may serve again?
    """

    item = "transformer_masks"

    def source_mask(self, source):
        if getattr(self, "read_before", None) != source.shape:
            self.read_before, self.kept_mask = source.shape, super().source_mask(source)
        return self.kept_mask


class SourceMaskIsTheLastEncoders(TwoStacks):
    """decode takes the mask that the last encode, or the first decode, has left behind, and not
    that of its own source.

    Whoever decodes may have encoded something else meanwhile. What is decode given source for?
    """

    item = "transformer_padding"

    def mask_of_encoder(self, source):
        self.memory_mask = super().mask_of_encoder(source)
        return self.memory_mask

    def mask_of_cross_attention(self, target, source):
        if not hasattr(self, "memory_mask"):
            self.memory_mask = super().mask_of_cross_attention(target, source)
        return self.memory_mask


class SourceMaskOfEncodeOrItsOwn(SourceMaskIsTheLastEncoders):
    def mask_of_cross_attention(self, target, source):
        if hasattr(self, "memory_mask"):
            return self.memory_mask
        return TwoStacks.mask_of_cross_attention(self, target, source)


class SourceMaskOfEncodeOrNone(SourceMaskIsTheLastEncoders):
    def mask_of_cross_attention(self, target, source):
        return getattr(self, "memory_mask", None)


class SourcePadsCountedFirst(TwoStacks):
    """As many places at the front of the source are real as it has real tokens, wherever these
    stand.

    Counting tells how many are real, not which. Can each place be compared by itself?
    """

    item = "transformer_masks"

    def source_mask(self, source):
        lengths = (source != self.pad_id).sum(-1, keepdim=True)  # (batch, 1)
        places = torch.arange(source.shape[1], device=source.device)
        return (places < lengths)[:, None, None]


class SourcePadIdIsTheLeast(TwoStacks):
    """In the source's mask only tokens above pad_id count as real.

    Ids are names, not sizes. Which comparison asks whether two of them are the same?
    """

    item = "transformer_masks"

    def source_mask(self, source):
        return (source > self.pad_id)[:, None, None]


class DropoutOfZeroIsNone(TwoStacks):
    """A dropout of 0 counts as not given, and becomes 0.1.

    0 is a number that somebody may ask for. What is `0.0 or 0.1`?
    """

    item = "arguments"

    def rate(self, dropout):
        return dropout or 0.1


class DropoutOfZeroIsNoneInTheEncoder(DropoutOfZeroIsNone):
    def rate(self, dropout):
        return dropout

    def make_stacks(self, source, target, sizes):
        self.encoder = Encoder(source, **sizes | {"dropout": sizes["dropout"] or 0.1})
        self.decoder = Decoder(target, **sizes)


class DropoutOfZeroIsNoneInTheDecoder(DropoutOfZeroIsNone):
    def rate(self, dropout):
        return dropout

    def make_stacks(self, source, target, sizes):
        self.encoder = Encoder(source, **sizes)
        self.decoder = Decoder(target, **sizes | {"dropout": sizes["dropout"] or 0.1})


class PaddingHasNoLogit(TwoStacks):
    """The logit of padding is minus infinity, so that it is never predicted.

    Which words are likely is for the weights to say: logits are what the output layer gives.
    """

    item = "transformer_output"

    def finish(self, logits):
        return _without_padding(logits, self.pad_id, -torch.inf)


class PaddingHasALogitFarBelow(TwoStacks):
    """The logit of padding is far below all others, so that it is never predicted.

    Which words are likely is for the weights to say: logits are what the output layer gives.
    """

    item = "transformer_output"

    def finish(self, logits):
        return _without_padding(logits, self.pad_id, -1e9)


class PaddingHasALogitOfFourZeros(PaddingHasALogitFarBelow):
    def finish(self, logits):
        return _without_padding(logits, self.pad_id, -1e4)


class PaddingHasTheLeastLogit(PaddingHasALogitFarBelow):
    def finish(self, logits):
        return _without_padding(logits, self.pad_id, torch.finfo(logits.dtype).min)


def _without_padding(logits, pad_id, value):
    logits = logits.clone()
    logits[..., pad_id] = value
    return logits


class SourceMaskIsNoneWithoutPadding(TwoStacks):
    """source_mask gives None for a source without padding.

    Nothing is to be blocked there. Which shape and dtype are promised, and to whom?
    """

    item = "transformer_masks"

    def source_mask(self, source):
        mask = super().source_mask(source)
        return None if mask.all() else mask


class TargetMaskIsCausalAloneWithoutPadding(TwoStacks):
    """target_mask has two axes, (t, t), for a target without padding.

    The causal mask is enough there. Which shape is promised, whatever the tokens are?
    """

    item = "transformer_masks"

    def give_target_mask(self, mask):
        return mask[0, 0] if mask[..., -1, :].all() else mask


class TokensOfMasksViewed(TwoStacks):
    """The tokens are viewed in another shape to make the masks, which needs memory without gaps: a
    target without its last column ends in an error.

    Which method changes a shape like view, and copies where it has to? Is another shape needed?
    """

    item = "transformer_masks"

    def real(self, tokens):
        return padding_mask(tokens.view(1, -1), self.pad_id).view(len(tokens), 1, 1, -1)


class CausalMaskKeptWhereItWas(TwoStacks):
    """The causal mask of the first call is kept, on the device that it had there: once the model is
    moved, it lies where the target is not.

    A buffer moves with its module. Which attributes do not?
    """

    item = "transformer_masks"

    def earlier(self, target):
        t = target.shape[1]
        if not hasattr(self, "kept") or len(self.kept) < t:
            self.kept = super().earlier(target)
        return self.kept[:t, :t]


class OpensRowsOfPadding(TwoStacks):
    """A row of nothing but padding is opened in the source's mask, as if all of it were real.

    Attention gives zeros to who may attend to nothing. What is left for the mask to do there?
    """

    item = "transformer_masks"

    def source_mask(self, source):
        mask = self.real(source)
        return mask | ~mask.any(-1, keepdim=True)
