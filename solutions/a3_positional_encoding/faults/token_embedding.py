"""The scaled embedding, step by step, and what goes wrong in each step."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Embedding(nn.Module):
    """Tokens to vectors, scaled by the root of d_model (Vaswani et al. 2017, section 3.4)."""

    of = "TokenEmbedding"
    often = (
        *("PaddingWithoutGradient", "NotScaled", "Divided", "ScaledByDModel"),
        *("RootInFloat32", "ScaledInTraining", "BlanksPadding", "Squeezed"),
    )

    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.vocab_size, self.d_model = vocab_size, d_model
        self.make(vocab_size, d_model)

    def table(self, vocab_size, d_model):
        return nn.Embedding(vocab_size, d_model)

    def make(self, vocab_size, d_model):
        self.embedding = self.table(vocab_size, d_model)

    def look_up(self, tokens):
        return self.embedding(tokens)

    def root(self, rows):
        return math.sqrt(self.d_model)

    def multiply(self, rows, root):
        return rows * root

    def give(self, x, tokens):
        return x

    def lay_out(self, tokens):
        return tokens

    def forward(self, tokens):
        rows = self.look_up(self.lay_out(tokens))
        return self.give(self.multiply(rows, self.root(rows)), tokens)


# The embedding


class ViewsTheTokens(Embedding):
    """Tokens that are not contiguous in memory raise an error, as by view.

    text[:, :-1] leaves the last word of each row where it is. Which call needs no copy of what it
    reshapes, and which one makes a copy where it must?
    """

    item = "embedding_gradients"

    def lay_out(self, tokens):
        return tokens.view(-1).view(tokens.shape)


class SizesExchanged(Embedding):
    """The embedding has d_model rows of vocab_size numbers: its sizes have changed places.

    There is a row for each token. Which of the two does nn.Embedding want first, and which one
    the constructor of this class?
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        self.embedding = nn.Embedding(d_model, vocab_size)


class OneRowTooMany(Embedding):
    """The embedding has one row more than there are tokens.

    Padding and the like are tokens, too: they are counted in vocab_size already.
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        self.embedding = nn.Embedding(vocab_size + 1, d_model)


class AnotherName(Embedding):
    """The parameter is named embed.weight.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        self.embed = self.table(vocab_size, d_model)

    def __getattr__(self, name):
        return super().__getattr__({"embedding": "embed"}.get(name, name))


class IsTheEmbedding(Embedding):
    """The parameter is named weight: the module is an nn.Embedding itself, and holds none.

    Names are fixed here: the grader finds the parameters by them. Which does the docstring give?
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        table = self.table(vocab_size, d_model)
        self.weight, self.padding_idx = table.weight, table.padding_idx

    def __getattr__(self, name):
        if name != "embedding":
            return super().__getattr__(name)
        return lambda tokens: F.embedding(tokens, self.weight, self.padding_idx)


class WidthOf512(Embedding):
    """The embedding has 512 columns, whatever d_model is.

    512 is the paper's d_model. Is a number written out where the argument should stand?
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        self.embedding = nn.Embedding(vocab_size, 512)


class MadeAnewInForward(Embedding):
    """The module has no parameter: its nn.Embedding is made anew in forward, or kept in a list.

    What is made anew has learned nothing. Which method is called once, and which each time?
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        self.tables = [self.table(vocab_size, d_model)]

    def __getattr__(self, name):
        return self.tables[0] if name == "embedding" else super().__getattr__(name)


class LearnsItsScale(Embedding):
    """There is more to load and to save than embedding.weight: scale, too.

    The root of d_model is known when the module is made. Is there anything to learn about it, or to
    keep?
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        super().make(vocab_size, d_model)
        self.scale = nn.Parameter(torch.tensor(math.sqrt(d_model)))


class PaddingWithoutGradient(Embedding):
    """The row of token 0 gets no gradient, as with padding_idx=0.

    Token 0 is a token like any other here. What is nn.Embedding told besides its sizes?
    """

    item = "embedding_gradients"

    def table(self, vocab_size, d_model):
        return nn.Embedding(vocab_size, d_model, padding_idx=0)


class TokenOneWithoutGradient(Embedding):
    """The row of token 1 gets no gradient, as with padding_idx=1.

    Some libraries give padding the id 1. Does the docstring speak of padding at all?
    """

    item = "embedding_gradients"

    def table(self, vocab_size, d_model):
        return nn.Embedding(vocab_size, d_model, padding_idx=1)


class LastWithoutGradient(Embedding):
    """The row of the last token gets no gradient, as with padding_idx=-1.

    The last token is a token like any other. What is nn.Embedding told besides its sizes?
    """

    item = "embedding_gradients"

    def table(self, vocab_size, d_model):
        return nn.Embedding(vocab_size, d_model, padding_idx=-1)


class GradientByFrequency(Embedding):
    """Gradients are divided by how often a token occurs, as with scale_grad_by_freq=True.

    A token that occurs three times adds up three contributions. What is nn.Embedding told?
    """

    item = "embedding_gradients"

    def table(self, vocab_size, d_model):
        return nn.Embedding(vocab_size, d_model, scale_grad_by_freq=True)


class ShortensItsRows(Embedding):
    """Rows that are longer than 1 are shortened to 1 before they are scaled, as with max_norm=1.

    It even writes to the parameter. What is nn.Embedding told besides its sizes?
    """

    item = "embedding_scale"

    def make(self, vocab_size, d_model):
        self.embedding = nn.Embedding(vocab_size, d_model, max_norm=1.0)


class RowsWithoutGradient(Embedding):
    """No gradient flows back to embedding.weight: it is frozen, or its rows are read past autograd.

    detach, .data, torch.no_grad and requires_grad all can do that; which of them is at work?
    """

    item = "embedding_gradients"

    def look_up(self, tokens):
        return super().look_up(tokens).detach()


# The scale


class ScalesTheTable(Embedding):
    """The table itself is multiplied by the root of d_model, once, past autograd.

    The values are right, for now. By what is the gradient of a row multiplied, where the row is?
    """

    item = "embedding_gradients"

    def look_up(self, tokens):
        if not hasattr(self, "is_scaled"):
            self.is_scaled = True
            with torch.no_grad():
                self.embedding.weight.mul_(self.root(self.embedding.weight))
        return super().look_up(tokens)

    def multiply(self, rows, root):
        return rows


class NotScaled(Embedding):
    """The rows are returned as they are: forward does not multiply them.

    Were the weights scaled when the module was made? Others are loaded later, and learned.
    """

    item = "embedding_scale"

    def multiply(self, rows, root):
        return rows


class Divided(Embedding):
    """The rows are divided by the root of d_model where they should be multiplied by it.

    Should a word become louder beside its place, or softer?
    """

    item = "embedding_scale"

    def multiply(self, rows, root):
        return rows / root


class ScaledByDModel(Embedding):
    """The rows are multiplied by d_model: without the root, or by the root twice.

    By what are they to be multiplied, and how often?
    """

    item = "embedding_scale"

    def root(self, rows):
        return self.d_model


class ScaledByHalfOfDModel(Embedding):
    """The rows are multiplied by half of d_model: d_model ** 1 / 2 is (d_model ** 1) / 2.

    Which of ** and / comes first in Python? For d_model = 4 it makes no difference; for 6 it does.
    """

    item = "embedding_scale"

    def root(self, rows):
        return self.d_model / 2


class ScaledByTheRootOf512(Embedding):
    """The rows are multiplied by the root of 512, whatever d_model is.

    512 is the paper's d_model. Where can that of this module be read?
    """

    item = "embedding_scale"

    def root(self, rows):
        return math.sqrt(512)


class ScaledByTheVocabulary(Embedding):
    """The rows are multiplied by the root of vocab_size, not of d_model.

    Which of the two sizes is the length of a row?
    """

    item = "embedding_scale"

    def root(self, rows):
        return math.sqrt(self.vocab_size)


class ScaledByTheLength(Embedding):
    """The rows are multiplied by the root of t, the length of the sentence, not of d_model.

    Which axis of the result has the size d_model?
    """

    item = "embedding_scale"

    def root(self, rows):
        return math.sqrt(rows.shape[1])


class RoundsTheRoot(Embedding):
    """The root of d_model is rounded to a whole number, as by int, round, // or math.isqrt.

    For d_model = 16 or 64 that makes no difference; for 6 it does.
    """

    item = "embedding_scale"

    def root(self, rows):
        return math.isqrt(self.d_model)


class RoundsTheRootToTheNearest(RoundsTheRoot):
    def root(self, rows):
        return round(self.d_model**0.5)


class RootInFloat32(Embedding):
    """The root of d_model is taken in float32, though the embedding is float64.

    torch.sqrt of a whole number is float32, and so are its digits. What is math.sqrt?
    """

    item = "embedding_scale"

    def root(self, rows):
        return torch.tensor(float(self.d_model), dtype=torch.float32).sqrt().item()


class RootOnTheDefaultDevice(Embedding):
    """The root of d_model is a tensor of float32 that stays on the device where it was made.

    A tensor that is no buffer does not move with its module. Need the root be a tensor at all?
    """

    item = "embedding_gradients"

    def root(self, rows):
        return torch.tensor([float(self.d_model)], dtype=torch.float32).sqrt()


class RootInFloat64(Embedding):
    """The root of d_model is a float64 tensor that stays where it was made.

    It turns float32 into float64, and does not follow the module to another device.
    """

    item = "embedding_gradients"

    def root(self, rows):
        return torch.tensor([self.d_model], dtype=torch.float64).sqrt()


class ScaledInTraining(Embedding):
    """The rows are scaled in train mode only.

    In eval mode the network would meet words of another loudness. Who asks for the mode?
    """

    item = "embedding_scale"

    def multiply(self, rows, root):
        return rows * root if self.training else rows


class ScaledOutsideOfTraining(Embedding):
    """The rows are scaled in eval mode only.

    In train mode the network would meet words of another loudness. Who asks for the mode?
    """

    item = "embedding_scale"

    def multiply(self, rows, root):
        return rows if self.training else rows * root


# What is returned


class BlanksPadding(Embedding):
    """Token 0 becomes zeros, as if it were padding.

    Token 0 is a token like any other here. Who asks for it?
    """

    item = "embedding_scale"

    def give(self, x, tokens):
        return x * (tokens != 0)[..., None]


class Squeezed(Embedding):
    """Axes of size 1 are squeezed away: a single sentence or a single word loses its axis.

    squeeze() without a number takes every axis of size 1. Which one was meant?
    """

    item = "embedding_scale"

    def give(self, x, tokens):
        return x.squeeze()


class DropsInTraining(Embedding):
    """In train mode a tenth of the numbers is dropped.

    Dropout comes later, when the place has been added. What does the docstring promise?
    """

    item = "embedding_scale"

    def give(self, x, tokens):
        return F.dropout(x, 0.1, self.training)


# More ways


class RootAdded(Embedding):
    """The root of d_model is added to the rows, where it should multiply them.

    Which operator makes a vector longer, and which shifts it?
    """

    item = "embedding_scale"

    def multiply(self, rows, root):
        return rows + root


class SequenceFirst(Embedding):
    """The axes of batch and positions are exchanged: (t, batch, d_model).

    Some modules want the positions first. Which shape does the docstring ask for?
    """

    item = "embedding_scale"

    def give(self, x, tokens):
        return x.transpose(0, 1)


class AxesOfOneNumber(Embedding):
    """The result is (batch, d_model, t): the numbers stand before the words.

    Which axis is the last, says the docstring?
    """

    item = "embedding_scale"

    def give(self, x, tokens):
        return x.transpose(-2, -1)


class RowsOfLengthOne(Embedding):
    """The rows are brought to length 1 before they are scaled.

    The length of a row is learned, too. Which step makes all of them the same?
    """

    item = "embedding_scale"

    def look_up(self, tokens):
        return F.normalize(super().look_up(tokens), dim=-1)


class MultipliedByTheSquare(Embedding):
    """The rows are multiplied by the square of d_model.

    By what are they to be multiplied, and how is a root written?
    """

    item = "embedding_scale"

    def root(self, rows):
        return self.d_model**2


class TokensCutToTheWidth(Embedding):
    """Tokens of d_model and more become token d_model - 1: they are cut at the wrong size.

    Which of the two sizes counts the tokens? And which tokens come that would have to be cut?
    """

    item = "embedding_scale"

    def look_up(self, tokens):
        return super().look_up(tokens.clamp(0, self.d_model - 1))


class RowsOfTheFirstCall(Embedding):
    """The scaled rows are made at the first call and kept: those that are loaded, or learned, since
    then are not used.

    What changes whenever an optimizer takes a step, and what has been made of it before?
    """

    item = "embedding_scale"

    def look_up(self, tokens):
        if not hasattr(self, "first"):
            self.first = self.embedding.weight.clone()
        return F.embedding(tokens, self.first)
