"""The Decoder, step by step, and what goes wrong in each step."""

import math

from torch import nn


class TokensAndMemory(nn.Module):
    """Embedding, positional encoding, a stack of decoder layers."""

    of = "Decoder"
    often = (
        *("MaxLenNotForwarded", "OneLayerInManyPlaces", "NoPositions"),
        *("TargetMaskForgotten", "MemoryMaskForgotten", "MasksExchanged"),
        *("StopsAfterTheFirstLayer", "FinalNorm", "ScaledTwice", "DropoutNotInTheLayers"),
    )

    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_layers, max_len=512, dropout=0.1):
        super().__init__()
        self.make_embedding(vocab_size, d_model)
        self.make_positions(d_model, max_len, dropout)
        self.make_dropout(dropout)
        self.make_layers(d_model, n_heads, d_ff, n_layers, dropout)
        self.make_norm(d_model)

    def make_embedding(self, vocab_size, d_model):
        self.token_embedding = TokenEmbedding(vocab_size, d_model)

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)

    def make_dropout(self, dropout):
        pass

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        sizes = self.sizes(d_model, n_heads, d_ff, dropout)
        self.layers = nn.ModuleList(DecoderLayer(*sizes) for _ in range(n_layers))

    def sizes(self, d_model, n_heads, d_ff, dropout):
        return d_model, self.heads(n_heads), self.width(d_model, d_ff), self.rate(dropout)

    def heads(self, n_heads):
        return n_heads

    def width(self, d_model, d_ff):
        return d_ff

    def rate(self, dropout):
        return dropout

    def make_norm(self, d_model):
        pass

    def embed(self, tokens):
        return self.token_embedding(tokens)

    def place(self, x):
        return self.positional_encoding(x)

    def recall(self, memory):
        return memory

    def read_target_mask(self, mask, other):
        return mask

    def read_memory_mask(self, mask, other):
        return mask

    def read_masks(self, target_mask, memory_mask):
        return (
            self.read_target_mask(target_mask, memory_mask),
            self.read_memory_mask(memory_mask, target_mask),
        )

    def ask(self, layer, x, memory, target_mask, memory_mask):
        return layer(x, memory, *self.read_masks(target_mask, memory_mask))

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
        return x

    def give(self, x):
        return x

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        x = self.place(self.embed(tokens))
        return self.give(self.stack(x, self.recall(memory), target_mask, memory_mask))


# Making the parts


class PlainEmbedding(TokensAndMemory):
    """token_embedding is a plain nn.Embedding, not a TokenEmbedding.

    Its only parameter has another name then, and something is missing that TokenEmbedding does to
    the vectors. What?
    """

    item = "decoder_output"

    def make_embedding(self, vocab_size, d_model):
        self.token_embedding = nn.Embedding(vocab_size, d_model)


class MaxLenNotForwarded(TokensAndMemory):
    """max_len does not get into the positional encoding, which keeps its own default.

    Which sentence should be too long, and who would notice?
    """

    item = "max_len"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, dropout=dropout)


class OnePlaceTooMany(TokensAndMemory):
    """The positional encoding is made for one token more than max_len, which is not refused then.

    Tokens are counted from 1, places from 0. How many places do max_len tokens take?
    """

    item = "max_len"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, max_len + 1, dropout)


class DropoutNotInThePositions(TokensAndMemory):
    """dropout does not get into the positional encoding, which keeps its own default.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "arguments"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, max_len)


class PositionsKeepTheirDefaults(TokensAndMemory):
    """Neither max_len nor dropout gets into the positional encoding, which keeps its own defaults.

    Which arguments does PositionalEncoding take besides d_model?
    """

    item = "max_len"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model)


class MaxLenAndDropoutExchanged(TokensAndMemory):
    """PositionalEncoding gets dropout and max_len in the wrong order, which makes max_len a
    probability.

    What are the arguments of PositionalEncoding, in their order?
    """

    item = "decoder_output"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, dropout, max_len)


class LearnedPositions(TokensAndMemory):
    """positional_encoding is an nn.Embedding, which has parameters: the positions are learned.

    Many later models do so. What does PositionalEncoding add, and does it learn?
    """

    item = "decoder_output"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = nn.Embedding(max_len, d_model)


class PositionsMadeAnew(TokensAndMemory):
    """PositionalEncoding is made anew in forward: with its defaults, dropping in eval mode too, and
    on the CPU, wherever the model is.

    What is made in __init__ and kept as an attribute follows the model. What is made in forward?
    """

    item = "decoder_output"

    def make_positions(self, d_model, max_len, dropout):
        pass

    def place(self, x):
        return PositionalEncoding(x.shape[-1])(x)


class OneLayerInManyPlaces(TokensAndMemory):
    """One layer stands in the list n_layers times: all of its entries have the same weights.

    A list with n entries may hold one object n times. How many are made?
    """

    item = "stack_depth"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        sizes = self.sizes(d_model, n_heads, d_ff, dropout)
        self.layers = nn.ModuleList([DecoderLayer(*sizes)] * n_layers)


class PlainList(TokensAndMemory):
    """The layers are assigned without self., in a plain list, or made anew in forward, where torch
    does not find their parameters.

    What would an optimizer train that asks the module for its parameters?
    """

    item = "decoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        sizes = self.sizes(d_model, n_heads, d_ff, dropout)
        self.layers = [DecoderLayer(*sizes) for _ in range(n_layers)]


class ListsInTheList(TokensAndMemory):
    """Each layer is in a list of its own within the nn.ModuleList, which takes modules alone.

    Which brackets belong to the loop, and which are around a single layer?
    """

    item = "decoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        sizes = self.sizes(d_model, n_heads, d_ff, dropout)
        self.layers = nn.ModuleList([DecoderLayer(*sizes)] for _ in range(n_layers))


class SixLayers(TokensAndMemory):
    """There are six layers, whatever n_layers is.

    Six is the paper's. Where is n_layers used?
    """

    item = "decoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, 6, dropout)


class OneLayerAlways(TokensAndMemory):
    """There is one layer, whatever n_layers is.

    Where is n_layers used? For n_layers=1 it makes no difference.
    """

    item = "stack_depth"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, 1, dropout)


class OneLayerTooMany(TokensAndMemory):
    """There is one layer more than n_layers says.

    How many numbers does range(n_layers) have? Was a layer made before the list?
    """

    item = "decoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, n_layers + 1, dropout)


class EightHeads(TokensAndMemory):
    """The layers get a number of heads that does not divide d_model: eight, whatever n_heads is, or
    d_ff, where n_heads and d_ff are exchanged.

    What are the arguments of the layer, in their order, and where is n_heads used?
    """

    item = "decoder_output"

    def heads(self, n_heads):
        return 8


class TwoHeads(TokensAndMemory):
    """The layers have two heads, whatever n_heads is.

    No shape tells how many heads there are. Where is n_heads used?
    """

    item = "decoder_output"

    def heads(self, n_heads):
        return 2


class OneHead(TokensAndMemory):
    """The layers have a single head, whatever n_heads is.

    No shape tells how many heads there are. Where is n_heads used?
    """

    item = "decoder_output"

    def heads(self, n_heads):
        return 1


class WidthOfFourTimes(TokensAndMemory):
    """The feed-forward part of each layer is 4 d_model wide, whatever d_ff is.

    That is the paper's proportion. Where is d_ff used?
    """

    item = "decoder_output"

    def width(self, d_model, d_ff):
        return 4 * d_model


class WidthOf2048(TokensAndMemory):
    """The feed-forward part of each layer is 2048 wide, whatever d_ff is.

    That is the paper's number. Where is d_ff used?
    """

    item = "decoder_output"

    def width(self, d_model, d_ff):
        return 2048


class DropoutNotInTheLayers(TokensAndMemory):
    """dropout does not get into the layers, which keep their own default.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "arguments"

    def rate(self, dropout):
        return 0.1  # their default


class FinalNorm(TokensAndMemory):
    """There is a norm after the last layer, with parameters of its own.

    Each layer ends with a norm already. Where do Transformers have one more, and is this one of
    them?
    """

    item = "decoder_output"

    def make_norm(self, d_model):
        self.norm = nn.LayerNorm(d_model)

    def give(self, x):
        return self.norm(x)


class FinalNormWithoutParameters(TokensAndMemory):
    """There is a norm after the last layer, without parameters: it takes back the weight and the
    bias that the last layer's own norm has learned.

    Each layer ends with a norm already. Where do Transformers have one more, and is this one of
    them?
    """

    item = "decoder_output"

    def give(self, x):
        return nn.functional.layer_norm(x, x.shape[-1:])


class GivesLogits(TokensAndMemory):
    """The decoder has an output layer of its own and gives logits.

    Who owns the output layer, says the docstring of Transformer, and what does the decoder give?
    """

    item = "decoder_output"

    def make_embedding(self, vocab_size, d_model):
        super().make_embedding(vocab_size, d_model)
        self.output = nn.Linear(d_model, vocab_size)

    def give(self, x):
        return self.output(x)


class ReturnsFloat32(TokensAndMemory):
    """The result is turned into float32, whatever the dtype of the parameters is.

    That is the caller's choice; which step changes it?
    """

    item = "decoder_output"

    def give(self, x):
        return x.float()


# From tokens to vectors


class WithoutTheScale(TokensAndMemory):
    """The embeddings are used without their scale, the root of d_model.

    Who multiplies by it, and is that one called?
    """

    item = "decoder_output"

    def embed(self, tokens):
        return self.token_embedding.embedding(tokens)


class ScaledTwice(TokensAndMemory):
    """The embeddings are multiplied by the root of d_model once more, after TokenEmbedding has done
    it.

    How large are the positions next to them then?
    """

    item = "decoder_output"

    def embed(self, tokens):
        x = self.token_embedding(tokens)
        return x * math.sqrt(x.shape[-1])


class NoPositions(TokensAndMemory):
    """The positional encoding is not used: no token has a place.

    What does the cross-attention know of the order of the words by itself?
    """

    item = "decoder_output"

    def place(self, x):
        return x


class NoPositionsThoughTooManyAreRefused(NoPositions):
    def place(self, x):
        t, max_len = x.shape[1], len(self.positional_encoding.encoding)
        if t > max_len:
            raise ValueError(f"{t} tokens are more than max_len={max_len}")
        return x


class PositionsByBatch(TokensAndMemory):
    """The positions run along the batch: each sentence has a place, and its words share it.

    For tensors with the sequence first it would be right. Which axis is the sequence here?
    """

    item = "decoder_output"

    def place(self, x):
        return self.positional_encoding(x.transpose(0, 1)).transpose(0, 1)


class PositionsByBatchUpToMaxLen(PositionsByBatch):
    def make_positions(self, d_model, max_len, dropout):
        super().make_positions(d_model, max_len, dropout)
        self.most = max_len

    def place(self, x):
        if x.shape[1] > self.most:
            raise ValueError(f"{x.shape[1]} tokens, but max_len is {self.most}")
        return super().place(x)


class EmbeddingsTwice(TokensAndMemory):
    """The embeddings count twice: they are added to what the positional encoding gives.

    PositionalEncoding returns a sum. What is in it?
    """

    item = "decoder_output"

    def place(self, x):
        return x + self.positional_encoding(x)


class DropoutInEvalMode(TokensAndMemory):
    """There is one more dropout of 0.1 on the vectors, which drops in eval mode too.

    nn.Dropout knows the mode in which its module is. What does the function know?
    """

    item = "decoder_output"

    def place(self, x):
        return nn.functional.dropout(self.positional_encoding(x), 0.1)


# The memory


class MemoryOfTheFirstRow(TokensAndMemory):
    """Every sentence of the batch reads the memory of the first one.

    Each target has a source of its own. Is one picked, or an axis cut off?
    """

    item = "decoder_output"

    def recall(self, memory):
        return memory[:1].expand_as(memory)


class MemoryOfTheFirstToken(TokensAndMemory):
    """Only the first row of each memory is read.

    The memory has a row for each word of the source. What is lost with the others?
    """

    item = "decoder_output"

    def recall(self, memory):
        return memory[:, :1]


class MemoryOfTheLastToken(TokensAndMemory):
    """Only the last row of each memory is read, as if it held the whole sentence.

    Recurrent networks need it so. What does the memory hold here?
    """

    item = "decoder_output"

    def recall(self, memory):
        return memory[:, -1:]


class MemoryAsTarget(TokensAndMemory):
    """The layers get the memory first, and the target as their memory.

    What does DecoderLayer call its first argument, and what its second?
    """

    item = "decoder_output"

    def ask(self, layer, x, memory, target_mask, memory_mask):
        return layer(memory, x, *self.read_masks(target_mask, memory_mask))


class TargetAsMemory(TokensAndMemory):
    """The layers get the target as their memory too: the memory is not read.

    What does the decoder then know of the source?
    """

    item = "decoder_output"

    def ask(self, layer, x, memory, target_mask, memory_mask):
        return layer(x, x, *self.read_masks(target_mask, memory_mask))


class MemoryAlone(TokensAndMemory):
    """The layers get the memory in place of the target, too: the target is not read.

    Which of the two changes from layer to layer?
    """

    item = "decoder_output"

    def ask(self, layer, x, memory, target_mask, memory_mask):
        return layer(memory, memory, *self.read_masks(target_mask, memory_mask))


class MemoryOverwritten(TokensAndMemory):
    """From the second layer on, the memory is what the layer before gave, not what the encoder
    gave.

    Which of the two changes from layer to layer?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers:
            x = memory = self.ask(layer, x, memory, target_mask, memory_mask)
        return x


class MemoryOverwrittenWhereItFits(TokensAndMemory):
    """Where target and source are equally long, the memory is what the layer before gave, from the
    second layer on.

    That two tensors have one shape does not make them one thing. What reads each layer?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
            memory = x if x.shape == memory.shape else memory
        return x


# The layers


class PositionsBeforeEachLayer(TokensAndMemory):
    """The positions are added before each layer, not only before the first.

    What has the first layer done with the positions: are they gone?
    """

    item = "stack_depth"

    def place(self, x):
        return x

    def ask(self, layer, x, memory, target_mask, memory_mask):
        return super().ask(layer, self.positional_encoding(x), memory, target_mask, memory_mask)


class StopsAfterTheFirstLayer(TokensAndMemory):
    """Only the first layer counts: what it gives is returned.

    How far is the return indented?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        return self.ask(self.layers[0], x, memory, target_mask, memory_mask)


class OnlyTheLastLayerCounts(TokensAndMemory):
    """Every layer reads the embedded tokens, so that only the last one counts.

    What should a layer read: the tokens, or what the layer before it gave?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        return self.ask(self.layers[-1], x, memory, target_mask, memory_mask)


class EmbeddedTokensAddedEachTime(TokensAndMemory):
    """Every layer reads the embedded tokens added to what the layer before it gave.

    The layers have residuals of their own. What does the first layer read, and what the second?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        y = x
        for layer in self.layers:
            y = self.ask(layer, y + x, memory, target_mask, memory_mask)
        return y


class NoLayerCounts(TokensAndMemory):
    """The layers are asked, but what they give is lost: the embedded tokens are returned.

    Under which name is a layer's result kept, and which name is returned?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        super().stack(x, memory, target_mask, memory_mask)
        return x


class LayersReversed(TokensAndMemory):
    """The layers are asked in the reversed order, the last one first.

    Which layer should hear the embedded tokens?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in reversed(self.layers):
            x = self.ask(layer, x, memory, target_mask, memory_mask)
        return x


class LastLayerLeftOut(TokensAndMemory):
    """The last layer is left out.

    How far does the loop go? For n_layers=1 no layer is left.
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers[:-1]:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
        return x


class FirstLayerLeftOut(TokensAndMemory):
    """The first layer is left out.

    Where does the loop begin? For n_layers=1 no layer is left.
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers[1:]:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
        return x


class AddsTheInputOfEachLayer(TokensAndMemory):
    """What goes into a layer is added to what comes out, once more.

    The layer adds it already, around each of its parts, and a norm comes after that.
    """

    item = "decoder_output"

    def ask(self, layer, x, memory, target_mask, memory_mask):
        return x + super().ask(layer, x, memory, target_mask, memory_mask)


# The masks


class NoMasks(TokensAndMemory):
    """Neither mask gets into the layers.

    Both arrive in forward. Who attends, and needs them?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return None

    def read_memory_mask(self, mask, other):
        return None


class TargetMaskForgotten(TokensAndMemory):
    """The target's mask does not get into the layers.

    What may a word see of the words that it shall predict?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return None


class MemoryMaskForgotten(TokensAndMemory):
    """The memory's mask does not get into the layers.

    Which rows of the memory are padding, and who tells the cross-attention?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other):
        return None


class PadsBlockedWithoutAMask(TokensAndMemory):
    """Without a target_mask, the tokens of id 0 are blocked, as if they were padding.

    Whoever wants padding blocked says so. What does the docstring make of target_mask=None?
    """

    item = "decoder_masks"

    def forward(self, tokens, memory, target_mask=None, memory_mask=None):
        target_mask = padding_mask(tokens) if target_mask is None else target_mask
        return super().forward(tokens, memory, target_mask, memory_mask)


class MasksExchanged(TokensAndMemory):
    """The two masks are exchanged.

    What are the arguments of the layer, in their order? Which keys does each mask speak of?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return other

    def read_memory_mask(self, mask, other):
        return other


class MasksInTheFirstLayerOnly(TokensAndMemory):
    """Only the first layer gets the masks.

    What the first layer must not see, the second must not see, either.
    """

    item = "decoder_masks"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
            target_mask = memory_mask = None
        return x


class MemoryMaskInTheFirstLayerOnly(TokensAndMemory):
    """Only the first layer gets the memory's mask; the others read its padding.

    What the first layer must not read, the second must not read, either.
    """

    item = "decoder_masks"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
            memory_mask = None
        return x


class TargetMaskInTheFirstLayerOnly(TokensAndMemory):
    """Only the first layer gets the target's mask; in the others words see what comes after them.

    What the first layer must not see, the second must not see, either.
    """

    item = "decoder_masks"

    def stack(self, x, memory, target_mask, memory_mask):
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
            target_mask = None
        return x


class SquareTakenForPadding(TokensAndMemory):
    """A target_mask (t, t) is taken for one of padding, (batch, t), where the batch has t rows.

    Two sizes that are equal by chance say nothing of what an axis means. What does a mask with two
    axes mean here, whatever the sizes are?
    """

    item = "decoder_masks"

    def ask(self, layer, x, memory, target_mask, memory_mask):
        if target_mask is not None and target_mask.shape == x.shape[:2]:
            target_mask = target_mask[:, None, None]
        return super().ask(layer, x, memory, target_mask, memory_mask)


class TokensViewed(TokensAndMemory):
    """The tokens are viewed in another shape, which needs memory without gaps: a target without its
    last column ends in an error.

    Which method changes a shape like view, and copies where it has to? Is another shape needed?
    """

    item = "decoder_output"

    def embed(self, tokens):
        return self.token_embedding(tokens.view(1, -1)).view(*tokens.shape, -1)


class TargetMaskTransposed(TokensAndMemory):
    """The last two axes of the target's mask are exchanged: words see what comes after them.

    Which of the two counts the queries, and which the keys?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return None if mask is None else mask.transpose(-2, -1)


class MasksInverted(TokensAndMemory):
    """Both masks are turned round: what may be attended to is blocked.

    True means "may attend" here, and in the layers as well.
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return None if mask is None else ~mask

    def read_memory_mask(self, mask, other):
        return None if mask is None else ~mask


# More ways through the stack


class SumOfTheLayers(TokensAndMemory):
    """What all layers give is added up.

    The next layer reads what the one before gave. What is the stack to return?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        total = 0
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
            total = total + x
        return total


class MeanOfTheLayers(TokensAndMemory):
    """The mean of what all layers give is returned.

    The next layer reads what the one before gave. What is the stack to return?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        every = []
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
            every.append(x)
        return sum(every) / len(every)


class ReturnsEveryLayer(TokensAndMemory):
    """A list of what each layer gives is returned, or a pair, not the last one alone.

    Who reads it next, and what of it?
    """

    item = "decoder_output"

    def stack(self, x, memory, target_mask, memory_mask):
        every = []
        for layer in self.layers:
            x = self.ask(layer, x, memory, target_mask, memory_mask)
            every.append(x)
        return every


class PositionsAlone(TokensAndMemory):
    """The layers get the positional encoding of nothing: the tokens are embedded, but not
    used.

    What does PositionalEncoding add to, and what goes into it?
    """

    item = "decoder_output"

    def place(self, x):
        return super().place(x * 0.0)


class PositionsTwice(TokensAndMemory):
    """The positional encoding is applied twice.

    In how many places is it called before the layers?
    """

    item = "decoder_output"

    def place(self, x):
        return super().place(super().place(x))


class DropoutForTheRate(TokensAndMemory):
    """The layers get 1 - dropout, as if it were the share that stays.

    What does nn.Dropout count, and what the docstring?
    """

    item = "arguments"

    def rate(self, dropout):
        return 1 - dropout


class LayersNeverDrop(TokensAndMemory):
    """The layers never drop anything: they are made with a dropout of 0.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "arguments"

    def rate(self, dropout):
        return 0.0


class OneLayerTooFew(TokensAndMemory):
    """There is one layer less than n_layers says.

    How often is a layer made? Count the numbers of the range.
    """

    item = "stack_depth"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, n_layers - 1, dropout)


class EachLayerTwice(TokensAndMemory):
    """Each layer is asked twice, one time after the other.

    How often does the loop call a layer? What does the second call read?
    """

    item = "stack_depth"

    def ask(self, layer, x, memory, target_mask, memory_mask):
        x = super().ask(layer, x, memory, target_mask, memory_mask)
        return super().ask(layer, x, memory, target_mask, memory_mask)


class TargetMaskForBoth(TokensAndMemory):
    """Both attentions of each layer get the target's mask.

    How long is the target, and how long the memory? Whose padding is blocked where?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other):
        return other


class MemoryMaskForBoth(TokensAndMemory):
    """Both attentions of each layer get the memory's mask.

    How long is the target, and how long the memory? Who keeps a word from seeing what
    follows?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return other


class TargetMaskInverted(TokensAndMemory):
    """The target's mask is turned round: what may be attended to is blocked.

    True means "may attend" in every part of the model.
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return None if mask is None else ~mask


class MemoryMaskInverted(TokensAndMemory):
    """The memory's mask is turned round: what may be attended to is blocked.

    True means "may attend" in every part of the model.
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other):
        return None if mask is None else ~mask


class MemoryInTheFirstLayerOnly(TokensAndMemory):
    """Only the first layer reads the memory; the others read the target as their memory.

    Every layer of the decoder reads the same memory. What does the loop hand on?
    """

    item = "stack_depth"

    def stack(self, x, memory, target_mask, memory_mask):
        for place, layer in enumerate(self.layers):
            read = memory if place == 0 else x
            x = self.ask(layer, x, read, target_mask, None if place else memory_mask)
        return x


class MemoryCutToTheTarget(TokensAndMemory):
    """Of the memory only as many positions are read as the target has tokens.

    Both sentences have a length of their own. Which of the two does the memory have?
    """

    item = "decoder_output"

    def ask(self, layer, x, memory, target_mask, memory_mask):
        t = x.shape[1]
        mask = None if memory_mask is None else memory_mask[..., :t]
        return super().ask(layer, x, memory[:, :t], target_mask, mask)


class LongMemoryRefused(TokensAndMemory):
    """A memory that is longer than max_len ends in a ValueError.

    Which of the two sentences gets its places here, and what is max_len a limit of?
    """

    item = "max_len"

    def recall(self, memory):
        max_len = len(self.positional_encoding.encoding)
        if memory.shape[1] > max_len:
            raise ValueError(f"memory has {memory.shape[1]} positions, more than {max_len}")
        return memory


class DroppedTwice(TokensAndMemory):
    """A second dropout comes behind the positional encoding, which ends with one of its own.

    How much is left of a number's chances when it is drawn for twice?
    """

    item = "arguments"

    def make_dropout(self, dropout):
        self.dropout = nn.Dropout(dropout)

    def place(self, x):
        return self.dropout(super().place(x))


class DroppedTwiceByHalf(DroppedTwice):  # as nn.Dropout() does
    def make_dropout(self, dropout):
        self.dropout = nn.Dropout()


class MemoryMaskSlips(TokensAndMemory):
    """A memory_mask that is given alone gets to the self-attention, in the place of the target_mask
    that is None, and the cross-attention has none.

    By what does a layer know which of its masks it was given? What if the first one is left out?
    """

    item = "decoder_masks"

    def read_masks(self, target_mask, memory_mask):
        masks = [each for each in (target_mask, memory_mask) if each is not None]
        return (*masks, None, None)[:2]


class MasksMustHaveARowForEach(TokensAndMemory):
    """A mask with four axes is refused when it has not as many rows as the batch, though one for
    all rows broadcasts.

    Which sizes may the first axis of a mask have, if it is to broadcast?
    """

    item = "decoder_masks"

    def stack(self, x, memory, target_mask, memory_mask):
        for mask in (target_mask, memory_mask):
            if mask is not None and mask.dim() == 4:
                assert len(mask) == len(x), f"a mask of {len(mask)} rows for a batch of {len(x)}"
        return super().stack(x, memory, target_mask, memory_mask)


class TargetMaskOfThreeAxesTakenForBatch(TokensAndMemory):
    """A target_mask of three axes gets a fourth, as if its first axis were the batch.

    Shapes are aligned from the right: what does the first of three axes stand for, then?
    """

    item = "decoder_masks"

    def read_target_mask(self, mask, other):
        return mask[:, None] if mask is not None and mask.dim() == 3 else mask


class MemoryMaskOfTwoAxesIsPadding(TokensAndMemory):
    """A memory_mask of two axes is taken for one of padding, (batch, t_source).

    Shapes are aligned from the right: which two axes of (batch, n_heads, t, t_source) are these?
    """

    item = "decoder_masks"

    def read_memory_mask(self, mask, other):
        return mask[:, None, None] if mask is not None and mask.dim() == 2 else mask


class AsManyTargetMasksAsRowsAreTheirs(TokensAndMemory):
    """A target_mask of three axes is taken for one of each row where its first size is that of the
    batch.

    Shapes are aligned from the right, however many rows there are: whose is the first axis?
    """

    item = "decoder_masks"

    def embed(self, tokens):
        self.rows = len(tokens)
        return super().embed(tokens)

    def read_target_mask(self, mask, other):
        if mask is not None and mask.dim() == 3 and len(mask) == self.rows:
            return mask[:, None]
        return mask
