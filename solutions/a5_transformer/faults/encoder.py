"""The Encoder, step by step, and what goes wrong in each step."""

import math

from torch import nn


class TokensToMemory(nn.Module):
    """Embedding, positional encoding, a stack of encoder layers."""

    of = "Encoder"
    often = (
        *("MaxLenNotForwarded", "DropoutNotInTheLayers", "OneLayerInManyPlaces"),
        *("FinalNorm", "NoPositions", "StopsAfterTheFirstLayer", "MaskIgnored"),
        *("ScaledTwice", "WidthOfFourTimes"),
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
        self.layers = nn.ModuleList(EncoderLayer(*sizes) for _ in range(n_layers))

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

    def read_mask(self, mask):
        return mask

    def ask(self, layer, x, mask):
        return layer(x, self.read_mask(mask))

    def stack(self, x, mask):
        for layer in self.layers:
            x = self.ask(layer, x, mask)
        return x

    def give(self, x):
        return x

    def forward(self, tokens, mask=None):
        return self.give(self.stack(self.place(self.embed(tokens)), mask))


# Making the parts


class PlainEmbedding(TokensToMemory):
    """token_embedding is a plain nn.Embedding, not a TokenEmbedding.

    Its only parameter has another name then, and something is missing that TokenEmbedding does to
    the vectors. What?
    """

    item = "encoder_output"

    def make_embedding(self, vocab_size, d_model):
        self.token_embedding = nn.Embedding(vocab_size, d_model)


class MaxLenNotForwarded(TokensToMemory):
    """max_len does not get into the positional encoding, which keeps its own default.

    Which sentence should be too long, and who would notice?
    """

    item = "max_len"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, dropout=dropout)


class OnePlaceTooMany(TokensToMemory):
    """The positional encoding is made for one token more than max_len, which is not refused then.

    Tokens are counted from 1, places from 0. How many places do max_len tokens take?
    """

    item = "max_len"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, max_len + 1, dropout)


class DropoutNotInThePositions(TokensToMemory):
    """dropout does not get into the positional encoding, which keeps its own default.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "arguments"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, max_len)


class PositionsKeepTheirDefaults(TokensToMemory):
    """Neither max_len nor dropout gets into the positional encoding, which keeps its own defaults.

    Which arguments does PositionalEncoding take besides d_model?
    """

    item = "max_len"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model)


class MaxLenAndDropoutExchanged(TokensToMemory):
    """PositionalEncoding gets dropout and max_len in the wrong order, which makes max_len a
    probability.

    What are the arguments of PositionalEncoding, in their order?
    """

    item = "encoder_output"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = PositionalEncoding(d_model, dropout, max_len)


class LearnedPositions(TokensToMemory):
    """positional_encoding is an nn.Embedding, which has parameters: the positions are learned.

    Many later models do so. What does PositionalEncoding add, and does it learn?
    """

    item = "encoder_output"

    def make_positions(self, d_model, max_len, dropout):
        self.positional_encoding = nn.Embedding(max_len, d_model)


class PositionsMadeAnew(TokensToMemory):
    """PositionalEncoding is made anew in forward: with its defaults, dropping in eval mode too, and
    on the CPU, wherever the model is.

    What is made in __init__ and kept as an attribute follows the model. What is made in forward?
    """

    item = "encoder_output"

    def make_positions(self, d_model, max_len, dropout):
        pass

    def place(self, x):
        return PositionalEncoding(x.shape[-1])(x)


class OneLayerInManyPlaces(TokensToMemory):
    """One layer stands in the list n_layers times: all of its entries have the same weights.

    A list with n entries may hold one object n times. How many are made?
    """

    item = "stack_depth"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        sizes = self.sizes(d_model, n_heads, d_ff, dropout)
        self.layers = nn.ModuleList([EncoderLayer(*sizes)] * n_layers)


class PlainList(TokensToMemory):
    """The layers are assigned without self., in a plain list, or made anew in forward, where torch
    does not find their parameters.

    What would an optimizer train that asks the module for its parameters?
    """

    item = "encoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        sizes = self.sizes(d_model, n_heads, d_ff, dropout)
        self.layers = [EncoderLayer(*sizes) for _ in range(n_layers)]


class ListsInTheList(TokensToMemory):
    """Each layer is in a list of its own within the nn.ModuleList, which takes modules alone.

    Which brackets belong to the loop, and which are around a single layer?
    """

    item = "encoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        sizes = self.sizes(d_model, n_heads, d_ff, dropout)
        self.layers = nn.ModuleList([EncoderLayer(*sizes)] for _ in range(n_layers))


class SixLayers(TokensToMemory):
    """There are six layers, whatever n_layers is.

    Six is the paper's. Where is n_layers used?
    """

    item = "encoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, 6, dropout)


class OneLayerAlways(TokensToMemory):
    """There is one layer, whatever n_layers is.

    Where is n_layers used? For n_layers=1 it makes no difference.
    """

    item = "stack_depth"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, 1, dropout)


class OneLayerTooMany(TokensToMemory):
    """There is one layer more than n_layers says.

    How many numbers does range(n_layers) have? Was a layer made before the list?
    """

    item = "encoder_output"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, n_layers + 1, dropout)


class EightHeads(TokensToMemory):
    """The layers get a number of heads that does not divide d_model: eight, whatever n_heads is, or
    d_ff, where n_heads and d_ff are exchanged.

    What are the arguments of the layer, in their order, and where is n_heads used?
    """

    item = "encoder_output"

    def heads(self, n_heads):
        return 8


class TwoHeads(TokensToMemory):
    """The layers have two heads, whatever n_heads is.

    No shape tells how many heads there are. Where is n_heads used?
    """

    item = "encoder_output"

    def heads(self, n_heads):
        return 2


class OneHead(TokensToMemory):
    """The layers have a single head, whatever n_heads is.

    No shape tells how many heads there are. Where is n_heads used?
    """

    item = "encoder_output"

    def heads(self, n_heads):
        return 1


class WidthOfFourTimes(TokensToMemory):
    """The feed-forward part of each layer is 4 d_model wide, whatever d_ff is.

    That is the paper's proportion. Where is d_ff used?
    """

    item = "encoder_output"

    def width(self, d_model, d_ff):
        return 4 * d_model


class WidthOf2048(TokensToMemory):
    """The feed-forward part of each layer is 2048 wide, whatever d_ff is.

    That is the paper's number. Where is d_ff used?
    """

    item = "encoder_output"

    def width(self, d_model, d_ff):
        return 2048


class DropoutNotInTheLayers(TokensToMemory):
    """dropout does not get into the layers, which keep their own default.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "arguments"

    def rate(self, dropout):
        return 0.1  # their default


class FinalNorm(TokensToMemory):
    """There is a norm after the last layer, with parameters of its own.

    Each layer ends with a norm already. Where do Transformers have one more, and is this one of
    them?
    """

    item = "encoder_output"

    def make_norm(self, d_model):
        self.norm = nn.LayerNorm(d_model)

    def give(self, x):
        return self.norm(x)


class FinalNormWithoutParameters(TokensToMemory):
    """There is a norm after the last layer, without parameters: it takes back the weight and the
    bias that the last layer's own norm has learned.

    Each layer ends with a norm already. Where do Transformers have one more, and is this one of
    them?
    """

    item = "encoder_output"

    def give(self, x):
        return nn.functional.layer_norm(x, x.shape[-1:])


class ReturnsFloat32(TokensToMemory):
    """The result is turned into float32, whatever the dtype of the parameters is.

    That is the caller's choice; which step changes it?
    """

    item = "encoder_output"

    def give(self, x):
        return x.float()


# From tokens to vectors


class WithoutTheScale(TokensToMemory):
    """The embeddings are used without their scale, the root of d_model.

    Who multiplies by it, and is that one called?
    """

    item = "encoder_output"

    def embed(self, tokens):
        return self.token_embedding.embedding(tokens)


class ScaledTwice(TokensToMemory):
    """The embeddings are multiplied by the root of d_model once more, after TokenEmbedding has done
    it.

    How large are the positions next to them then?
    """

    item = "encoder_output"

    def embed(self, tokens):
        x = self.token_embedding(tokens)
        return x * math.sqrt(x.shape[-1])


class ScaledByTheLength(TokensToMemory):
    """The embeddings are multiplied by the root of t, the number of tokens.

    Should a word have a longer vector in a longer sentence? And who has scaled it already?
    """

    item = "encoder_output"

    def embed(self, tokens):
        return self.token_embedding(tokens) * math.sqrt(tokens.shape[1])


class NoPositions(TokensToMemory):
    """The positional encoding is not used: no token has a place.

    What does attention know of the order of the words by itself?
    """

    item = "encoder_output"

    def place(self, x):
        return x


class NoPositionsThoughTooManyAreRefused(NoPositions):
    def place(self, x):
        t, max_len = x.shape[1], len(self.positional_encoding.encoding)
        if t > max_len:
            raise ValueError(f"{t} tokens are more than max_len={max_len}")
        return x


class PositionsByBatch(TokensToMemory):
    """The positions run along the batch: each sentence has a place, and its words share it.

    For tensors with the sequence first it would be right. Which axis is the sequence here?
    """

    item = "encoder_output"

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


class EmbeddingsTwice(TokensToMemory):
    """The embeddings count twice: they are added to what the positional encoding gives.

    PositionalEncoding returns a sum. What is in it?
    """

    item = "encoder_output"

    def place(self, x):
        return x + self.positional_encoding(x)


class DropoutInEvalMode(TokensToMemory):
    """There is one more dropout of 0.1 on the vectors, which drops in eval mode too.

    nn.Dropout knows the mode in which its module is. What does the function know?
    """

    item = "encoder_output"

    def place(self, x):
        return nn.functional.dropout(self.positional_encoding(x), 0.1)


# The layers


class PositionsBeforeEachLayer(TokensToMemory):
    """The positions are added before each layer, not only before the first.

    What has the first layer done with the positions: are they gone?
    """

    item = "stack_depth"

    def place(self, x):
        return x

    def ask(self, layer, x, mask):
        return super().ask(layer, self.positional_encoding(x), mask)


class StopsAfterTheFirstLayer(TokensToMemory):
    """Only the first layer counts: what it gives is returned.

    How far is the return indented?
    """

    item = "stack_depth"

    def stack(self, x, mask):
        return self.ask(self.layers[0], x, mask)


class OnlyTheLastLayerCounts(TokensToMemory):
    """Every layer reads the embedded tokens, so that only the last one counts.

    What should a layer read: the tokens, or what the layer before it gave?
    """

    item = "stack_depth"

    def stack(self, x, mask):
        return self.ask(self.layers[-1], x, mask)


class EmbeddedTokensAddedEachTime(TokensToMemory):
    """Every layer reads the embedded tokens added to what the layer before it gave.

    The layers have residuals of their own. What does the first layer read, and what the second?
    """

    item = "encoder_output"

    def stack(self, x, mask):
        y = x
        for layer in self.layers:
            y = self.ask(layer, y + x, mask)
        return y


class NoLayerCounts(TokensToMemory):
    """The layers are asked, but what they give is lost: the embedded tokens are returned.

    Under which name is a layer's result kept, and which name is returned?
    """

    item = "encoder_output"

    def stack(self, x, mask):
        super().stack(x, mask)
        return x


class LayersReversed(TokensToMemory):
    """The layers are asked in the reversed order, the last one first.

    Which layer should hear the embedded tokens?
    """

    item = "stack_depth"

    def stack(self, x, mask):
        for layer in reversed(self.layers):
            x = self.ask(layer, x, mask)
        return x


class LastLayerLeftOut(TokensToMemory):
    """The last layer is left out.

    How far does the loop go? For n_layers=1 no layer is left.
    """

    item = "encoder_output"

    def stack(self, x, mask):
        for layer in self.layers[:-1]:
            x = self.ask(layer, x, mask)
        return x


class FirstLayerLeftOut(TokensToMemory):
    """The first layer is left out.

    Where does the loop begin? For n_layers=1 no layer is left.
    """

    item = "encoder_output"

    def stack(self, x, mask):
        for layer in self.layers[1:]:
            x = self.ask(layer, x, mask)
        return x


class AddsTheInputOfEachLayer(TokensToMemory):
    """What goes into a layer is added to what comes out, once more.

    The layer adds it already, around each of its parts, and a norm comes after that.
    """

    item = "encoder_output"

    def ask(self, layer, x, mask):
        return x + super().ask(layer, x, mask)


class SequenceFirst(TokensToMemory):
    """The axes of batch and sequence are exchanged for the layers, so that words attend to other
    rows.

    For modules with the sequence first it would be right. Which axis is the sequence in this
    layer?
    """

    item = "encoder_output"

    def stack(self, x, mask):
        return super().stack(x.transpose(0, 1), None).transpose(0, 1)


# The mask


class MaskIgnored(TokensToMemory):
    """The mask does not get into the layers.

    It arrives in forward. Who attends, and needs it?
    """

    item = "encoder_mask"

    def read_mask(self, mask):
        return None


class PadsBlockedWithoutAMask(TokensToMemory):
    """Without a mask, the tokens of id 0 are blocked, as if they were padding.

    Whoever wants padding blocked says so. What does the docstring make of mask=None?
    """

    item = "encoder_mask"

    def forward(self, tokens, mask=None):
        return super().forward(tokens, padding_mask(tokens) if mask is None else mask)


class MaskInTheFirstLayerOnly(TokensToMemory):
    """Only the first layer gets the mask.

    Padding is blocked in the first layer. Who blocks it in the second?
    """

    item = "encoder_mask"

    def stack(self, x, mask):
        for place, layer in enumerate(self.layers):
            x = self.ask(layer, x, mask if place == 0 else None)
        return x


class MaskInTheLastLayerOnly(TokensToMemory):
    """Only the last layer gets the mask.

    Padding is blocked in the last layer. What has been heard of it in those before?
    """

    item = "encoder_mask"

    def stack(self, x, mask):
        for place, layer in enumerate(self.layers, 1):
            x = self.ask(layer, x, mask if place == len(self.layers) else None)
        return x


class MaskInverted(TokensToMemory):
    """The mask is turned round: what may be attended to is blocked.

    True means "may attend" here, and in the layers as well.
    """

    item = "encoder_mask"

    def read_mask(self, mask):
        return None if mask is None else ~mask


class MaskOfTheFirstRow(TokensToMemory):
    """The mask of the first sentence of the batch is used for all of them.

    Sentences have different lengths. Is one picked, or an axis cut off?
    """

    item = "encoder_mask"

    def read_mask(self, mask):
        return None if mask is None else mask[:1]


class TwoAxesTakenForPadding(TokensToMemory):
    """A mask with two axes is taken for one of padding, (batch, t): it may as well be (t, t).

    Which two axes are left when the first two of (batch, n_heads, t, t) are not there?
    """

    item = "encoder_mask"

    def read_mask(self, mask):
        return mask[:, None, None] if mask is not None and mask.dim() == 2 else mask


class MaskTransposed(TokensToMemory):
    """The last two axes of the mask are exchanged: queries are blocked where keys should be.

    Which of the two counts the queries, and which the keys?
    """

    item = "encoder_mask"

    def read_mask(self, mask):
        return None if mask is None else mask.transpose(-2, -1)


# More ways through the stack


class SumOfTheLayers(TokensToMemory):
    """What all layers give is added up.

    The next layer reads what the one before gave. What is the stack to return?
    """

    item = "stack_depth"

    def stack(self, x, mask):
        total = 0
        for layer in self.layers:
            x = self.ask(layer, x, mask)
            total = total + x
        return total


class MeanOfTheLayers(TokensToMemory):
    """The mean of what all layers give is returned.

    The next layer reads what the one before gave. What is the stack to return?
    """

    item = "stack_depth"

    def stack(self, x, mask):
        every = []
        for layer in self.layers:
            x = self.ask(layer, x, mask)
            every.append(x)
        return sum(every) / len(every)


class ReturnsEveryLayer(TokensToMemory):
    """A list of what each layer gives is returned, or a pair, not the last one alone.

    Who reads it next, and what of it?
    """

    item = "encoder_output"

    def stack(self, x, mask):
        every = []
        for layer in self.layers:
            x = self.ask(layer, x, mask)
            every.append(x)
        return every


class PositionsAlone(TokensToMemory):
    """The layers get the positional encoding of nothing: the tokens are embedded, but not
    used.

    What does PositionalEncoding add to, and what goes into it?
    """

    item = "encoder_output"

    def place(self, x):
        return super().place(x * 0.0)


class PositionsTwice(TokensToMemory):
    """The positional encoding is applied twice.

    In how many places is it called before the layers?
    """

    item = "encoder_output"

    def place(self, x):
        return super().place(super().place(x))


class DropoutForTheRate(TokensToMemory):
    """The layers get 1 - dropout, as if it were the share that stays.

    What does nn.Dropout count, and what the docstring?
    """

    item = "arguments"

    def rate(self, dropout):
        return 1 - dropout


class LayersNeverDrop(TokensToMemory):
    """The layers never drop anything: they are made with a dropout of 0.

    In how many places is something dropped, and what does each of them have to be told?
    """

    item = "arguments"

    def rate(self, dropout):
        return 0.0


class OneLayerTooFew(TokensToMemory):
    """There is one layer less than n_layers says.

    How often is a layer made? Count the numbers of the range.
    """

    item = "stack_depth"

    def make_layers(self, d_model, n_heads, d_ff, n_layers, dropout):
        super().make_layers(d_model, n_heads, d_ff, n_layers - 1, dropout)


class EachLayerTwice(TokensToMemory):
    """Each layer is asked twice, one time after the other.

    How often does the loop call a layer? What does the second call read?
    """

    item = "stack_depth"

    def ask(self, layer, x, mask):
        x = super().ask(layer, x, mask)
        return super().ask(layer, x, mask)


class DroppedTwice(TokensToMemory):
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


class MaskMustHaveARowForEach(TokensToMemory):
    """A mask with four axes is refused when it has not as many rows as the batch, though one for
    all rows broadcasts.

    Which sizes may the first axis of a mask have, if it is to broadcast?
    """

    item = "encoder_mask"

    def stack(self, x, mask):
        if mask is not None and mask.dim() == 4:
            assert len(mask) == len(x), f"a mask of {len(mask)} rows for a batch of {len(x)}"
        return super().stack(x, mask)


class TokensViewed(TokensToMemory):
    """The tokens are viewed in another shape, which needs memory without gaps: a source without its
    last column ends in an error.

    Which method changes a shape like view, and copies where it has to? Is another shape needed?
    """

    item = "encoder_output"

    def embed(self, tokens):
        return self.token_embedding(tokens.view(1, -1)).view(*tokens.shape, -1)


class MaskOfThreeAxesTakenForBatch(TokensToMemory):
    """A mask of three axes gets a fourth for the heads, as if its first axis were the batch.

    Shapes are aligned from the right: what does the first of three axes stand for, then?
    """

    item = "encoder_mask"

    def read_mask(self, mask):
        return mask[:, None] if mask is not None and mask.dim() == 3 else mask


class AsManyMasksAsRowsAreTheirs(TokensToMemory):
    """A mask of three axes is taken for one of each row where its first size is that of the batch.

    Shapes are aligned from the right, however many rows there are: whose is the first axis?
    """

    item = "encoder_mask"

    def embed(self, tokens):
        self.rows = len(tokens)
        return super().embed(tokens)

    def read_mask(self, mask):
        if mask is not None and mask.dim() == 3 and len(mask) == self.rows:
            return mask[:, None]
        return mask


class AsManyRowsAsTokensIsPadding(TokensToMemory):
    """A mask of two axes is taken for one of padding where there are as many rows as tokens.

    Shapes are aligned from the right, however many rows there are: what are the two axes?
    """

    item = "encoder_mask"

    def embed(self, tokens):
        self.rows = len(tokens)
        return super().embed(tokens)

    def read_mask(self, mask):
        if mask is not None and mask.dim() == 2 and len(mask) == self.rows:
            return mask[:, None, None]
        return mask
