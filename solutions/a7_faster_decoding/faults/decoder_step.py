"""One step of the decoder, step by step, and what goes wrong in each step."""

import torch


class DecoderStep:
    """The last position of the target through the decoder."""

    of = "decoder_step"
    often = (
        *("PlaceZero", "PlaceOneOn", "NoPlace", "CrossMaskForgotten", "PaddingHeard"),
        *("PadIsZero", "CacheOfTheFirstLayer", "TooLongIsWelcome", "AnyCacheIsWelcome"),
    )

    def check_cache(self, t, kept):
        if kept != t - 1:
            raise ValueError(f"target has {t} tokens, but the cache has {kept} positions")

    def check_length(self, t, table):
        if t > len(table):
            raise ValueError(f"target has {t} tokens, and max_len is {len(table)}")

    def kept_in(self, keys):
        return keys.shape[3]

    def newest(self, target):
        return target[:, -1:]

    def embed(self, model, tokens):
        return model.decoder.token_embedding(tokens)

    def place(self, t):
        return t - 1

    def locate(self, model, x, table, t):
        return x + table[self.place(t) :][:1]

    def target_mask(self, model, target):
        return padding_mask(target, model.pad_id)

    def fit_mask(self, mask):
        return mask

    def memory_mask(self, model, source):
        return model.source_mask(source)

    def kept_for(self, i, keys, values):
        return keys[i], values[i]

    def memory_for(self, i, memory_keys, memory_values):
        return memory_keys[i], memory_values[i]

    def layers(self, model):
        return list(enumerate(model.decoder.layers))

    def enter(self, x, first):
        return x

    def stack(self, each):
        return torch.stack(each)

    def give(self, model, x, keys, values):
        return x, keys, values

    def __call__(self, model, target, source, keys, values, memory_keys, memory_values):
        t, table = target.shape[1], model.decoder.positional_encoding.encoding
        self.check_cache(t, self.kept_in(keys))
        self.check_length(t, table)
        x = first = self.locate(model, self.embed(model, self.newest(target)), table, t)
        masks = self.fit_mask(self.target_mask(model, target)), self.memory_mask(model, source)
        grown = []
        for i, layer in self.layers(model):
            cache = *self.kept_for(i, keys, values), *self.memory_for(i, memory_keys, memory_values)
            x, *pair = layer_step(layer, self.enter(x, first), *cache, *masks)
            grown.append(pair)
        keys, values = (self.stack([pair[place] for pair in grown]) for place in (0, 1))
        return self.give(model, x, keys, values)


# The place


class PlaceZero(DecoderStep):
    """The new token gets the encoding of position 0, wherever it stands.

    To the decoder it looks like a sentence of one word. Who knows how many words are before it?
    """

    item = "step_output"

    def place(self, t):
        return 0


class PadsHaveNoPlace(DecoderStep):
    """The place of the new token is counted without the pads that stand before it.

    A pad that stands in a sentence takes a place as well. Which place does model.decode give?
    """

    item = "step_masks"

    def locate(self, model, x, table, t):
        return x + table[self.real - 1]

    def __call__(self, model, target, *others):
        self.real = (target != model.pad_id).sum(1, keepdim=True)  # (batch, 1)
        return super().__call__(model, target, *others)


class PadsBeforeHaveNoPlace(PadsHaveNoPlace):
    def locate(self, model, x, table, t):
        is_pad = self.last == model.pad_id  # (batch, 1)
        return x + table[torch.where(is_pad, t - 1, self.real - 1)]

    def __call__(self, model, target, *others):
        self.last = target[:, -1:]
        return super().__call__(model, target, *others)


class RealBeforeAreCounted(PadsHaveNoPlace):
    def locate(self, model, x, table, t):
        return x + table[self.before]

    def __call__(self, model, target, *others):
        self.before = (target[:, :-1] != model.pad_id).sum(1, keepdim=True)  # (batch, 1)
        return super().__call__(model, target, *others)


class PlaceOneOn(DecoderStep):
    """The new token gets the encoding of the position after its own.

    Which position does the first token of a sentence have?
    """

    item = "step_output"

    def place(self, t):
        return t


class PlaceOneOnWhichIsNone(PlaceOneOn):
    def locate(self, model, x, table, t):
        return x + table[self.place(t)]


class PlaceOneOnAndAround(PlaceOneOn):
    def locate(self, model, x, table, t):
        return x + table[t % len(table)]


class PlaceOneOnAsFarAsTheyGo(PlaceOneOn):
    def locate(self, model, x, table, t):
        return x + table[min(self.place(t), len(table) - 1)]


class PlaceOneBack(DecoderStep):
    """The new token gets the encoding of the position before its own.

    How many tokens are before it, if the target has t?
    """

    item = "step_output"

    def place(self, t):
        return max(t - 2, 0)


class LastPlace(DecoderStep):
    """The new token gets the encoding of the last position of the table.

    -1 counts from the end. Of the target, or of the table?
    """

    item = "step_output"

    def place(self, t):
        return -1


class NoPlace(DecoderStep):
    """The new token is not told its place.

    What comes after the embedding in the decoder?
    """

    item = "step_output"

    def locate(self, model, x, table, t):
        return x


class AllPlaces(DecoderStep):
    """The encodings of all positions up to the new one are added to it.

    One token has one place. Which row of the table is it?
    """

    item = "step_output"

    def locate(self, model, x, table, t):
        return x + table[:t].sum(0)


# The token


class FirstToken(DecoderStep):
    """The first token of the target goes through the decoder, not the last.

    Which column is new?
    """

    item = "step_output"

    def newest(self, target):
        return target[:, :1]


class PlainEmbedding(DecoderStep):
    """The token is embedded without the factor sqrt(d_model).

    token_embedding has a method of its own. What does the nn.Embedding in it leave out?
    """

    item = "step_output"

    def embed(self, model, tokens):
        return model.decoder.token_embedding.embedding(tokens)


class ScaledTwice(DecoderStep):
    """The embedding is scaled by sqrt(d_model) once more.

    Who has scaled it already?
    """

    item = "step_output"

    def embed(self, model, tokens):
        x = super().embed(model, tokens)
        return x * x.shape[-1] ** 0.5


class EmbeddedByTheEncoder(DecoderStep):
    """The token is embedded by the encoder.

    In which language is the target written?
    """

    item = "step_output"

    def embed(self, model, tokens):
        return model.encoder.token_embedding(tokens % 11)


# The layers


class CacheOfTheFirstLayer(DecoderStep):
    """Every layer gets what the first one has kept.

    Which index do the kept keys need in the loop?
    """

    item = "step_output"

    def kept_for(self, i, keys, values):
        return keys[0], values[0]


class MemoryOfTheFirstLayer(DecoderStep):
    """Every layer gets the memory's keys and values of the first one.

    Which index do they need in the loop?
    """

    item = "step_output"

    def memory_for(self, i, memory_keys, memory_values):
        return memory_keys[0], memory_values[0]


class CacheExchanged(DecoderStep):
    """What was kept gets into the layers in another order: values for keys, keys for values.

    In which order does layer_step want them?
    """

    item = "step_output"

    def kept_for(self, i, keys, values):
        return values[i], keys[i]


class MemoryExchanged(DecoderStep):
    """The memory gets into the layers in another order: values for keys, keys for values.

    In which order does layer_step want them?
    """

    item = "step_output"

    def memory_for(self, i, memory_keys, memory_values):
        return memory_values[i], memory_keys[i]


class KeptAsItCame(DecoderStep):
    """The keys and values that were passed are returned, without the new position.

    How many positions does the next step need, and who hands them over?
    """

    item = "step_output"

    def kept_for(self, i, keys, values):
        self.came = keys, values
        return super().kept_for(i, keys, values)

    def give(self, model, x, keys, values):
        return x, *self.came


class EachLayerReadsTheToken(DecoderStep):
    """Every layer gets the embedded token, so that only the last one counts.

    What should a layer read: the token, or what the layer before it gave?
    """

    item = "step_output"

    def enter(self, x, first):
        return first


class LayersReversed(DecoderStep):
    """The layers are asked in the reversed order, each with its own cache.

    Which layer should hear the embedded token?
    """

    item = "step_output"

    def layers(self, model):
        return super().layers(model)[::-1]

    def stack(self, each):
        return torch.stack(each[::-1])


class FirstLayerAlone(DecoderStep):
    """Only the first layer is asked.

    How far is the return indented?
    """

    item = "step_output"

    def layers(self, model):
        return super().layers(model)[:1]


class BatchFirst(DecoderStep):
    """What is kept comes back with the batch as its first axis, and the layers as its second.

    Along which axis were the keys stacked that were passed?
    """

    item = "step_output"

    def stack(self, each):
        return torch.stack(each, dim=1)


class ReturnsAList(DecoderStep):
    """What is kept comes back as a list, not stacked.

    Which shape does the docstring promise?
    """

    item = "step_output"

    def stack(self, each):
        return each


class ReturnsLogits(DecoderStep):
    """The logits are returned in the place of x.

    Does model.decode apply the output layer?
    """

    item = "step_output"

    def give(self, model, x, keys, values):
        return model.output(x), keys, values


class WithoutTheAxisOfOne(DecoderStep):
    """x has lost its axis of length 1.

    Which shape does the docstring promise?
    """

    item = "step_output"

    def give(self, model, x, keys, values):
        return x[:, 0], keys, values


# The masks


class CrossMaskForgotten(DecoderStep):
    """The memory is read without the source's mask.

    The memory has a row for each token of padding, too. Which method of the model blocks them?
    """

    item = "step_masks"

    def memory_mask(self, model, source):
        return None


class PaddingHeard(DecoderStep):
    """Padding of the target is listened to.

    A causal mask is not needed any more. Which of the target's two masks is left?
    """

    item = "step_masks"

    def target_mask(self, model, target):
        return None


class PaddingBeforeHeard(DecoderStep):
    """Padding that stands before the new token is listened to: the mask blocks none of it.

    The kept keys are those of all tokens before. May each of them be heard?
    """

    item = "step_masks"

    def target_mask(self, model, target):
        mask = padding_mask(target, model.pad_id).clone()
        mask[..., :-1] = True
        return mask


class NoMasks(DecoderStep):
    """Padding is listened to in the source and in the target.

    Which two masks does model.decode make?
    """

    item = "step_masks"

    def target_mask(self, model, target):
        return None

    def memory_mask(self, model, source):
        return None


class PadIsZero(DecoderStep):
    """Padding of the target is 0, whatever the model's pad_id is.

    Where does the model keep the id of padding?
    """

    item = "step_masks"

    def target_mask(self, model, target):
        return padding_mask(target, 0)


class PadOfTheSourceIsZero(DecoderStep):
    """Padding of the source is 0, whatever the model's pad_id is.

    Where does the model keep the id of padding, and which method asks it?
    """

    item = "step_masks"

    def memory_mask(self, model, source):
        return padding_mask(source, 0)


class PadIsZeroInBoth(PadOfTheSourceIsZero):
    """Padding is 0, in the source and in the target, whatever the model's pad_id is.

    Where does the model keep the id of padding?
    """

    def target_mask(self, model, target):
        return padding_mask(target, 0)


class MaskOfTheNewTokenAlone(DecoderStep):
    """The target's mask speaks of the new token alone, and so of all keys alike.

    How many keys are there, and who of them is padding?
    """

    item = "step_masks"

    def target_mask(self, model, target):
        return padding_mask(target[:, -1:], model.pad_id)


class FirstRowOfTheMask(DecoderStep):
    """The first row is cut out of the target's mask, not the last: only position 0 is heard.

    A row of model.target_mask belongs to a query. Which one is new?
    """

    item = "step_output"

    def target_mask(self, model, target):
        return model.target_mask(target)[:, :, :1]


class NewTokenAlwaysHeard(DecoderStep):
    """The new token listens to itself, also where it is padding.

    Whom does a key that is padding speak to, in model.decode?
    """

    item = "step_masks"

    def target_mask(self, model, target):
        mask = padding_mask(target, model.pad_id)
        return torch.cat([mask[..., :-1], torch.ones_like(mask[..., -1:])], dim=-1)


# Sizes


class TooLongIsWelcome(DecoderStep):
    """A target longer than max_len is not refused.

    What does a slice beyond the end of the table give, and what comes of adding it?
    """

    item = "step_sizes"

    def check_length(self, t, table):
        pass


class TooLongStaysAtTheLastPlace(TooLongIsWelcome):
    def locate(self, model, x, table, t):
        return super().locate(model, x, table, min(t, len(table)))


class TooLongIsAnIndexError(DecoderStep):
    """A target longer than max_len ends in an IndexError; a ValueError was asked for.

    The table has no such row: that says nothing of how many tokens and positions there are.
    """

    item = "step_sizes"

    def check_length(self, t, table):
        if t > len(table):
            raise IndexError(f"index {t - 1} is out of bounds for dimension 0 of {len(table)}")


class TooLongAsserted(DecoderStep):
    """A target longer than max_len ends in an AssertionError; a ValueError was asked for.

    assert is for what can never happen, and python -O leaves it out. How is an error raised?
    """

    item = "step_sizes"

    def check_length(self, t, table):
        assert t <= len(table), f"target has {t} tokens, and max_len is {len(table)}"


class HeadsAreCounted(DecoderStep):
    """The heads are counted where the positions that are kept should be, and caches that fit are
    refused.

    The layers come first, then sentences and heads. Which axis has a place for each position?
    """

    item = "step_output"

    def kept_in(self, keys):
        return keys.shape[2]


class AnyCacheIsWelcome(DecoderStep):
    """A cache that does not fit to the target is not refused.

    Which place does the new token have in the cache, and which in the target?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        pass

    def target_mask(self, model, target):
        return super().target_mask(model, target)


class ShorterCacheIsWelcome(DecoderStep):
    """A cache that has too many positions is refused, but not one that has too few.

    Exactly one position less than there are tokens is asked for. Which comparison says so?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        if kept > t - 1:
            super().check_cache(t, kept)


class LongerCacheIsWelcome(DecoderStep):
    """A cache that has too few positions is refused, but not one that has too many.

    Exactly one position less than there are tokens is asked for. Which comparison says so?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        if kept < t - 1:
            super().check_cache(t, kept)


class EmptyCacheIsWelcome(DecoderStep):
    """A cache with nothing in it is never refused, however long the target is.

    How many positions should be kept of a target of t tokens?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        if kept:
            super().check_cache(t, kept)


class FirstStepIsNotChecked(DecoderStep):
    """With a target of one token, any cache is welcome, also one of an earlier sentence.

    How many positions does the cache have before the first step, and who says so if it has more?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        if t > 1:
            super().check_cache(t, kept)


class NothingIsRefused(DecoderStep):
    """No size is refused: neither a target that is too long, nor a cache that does not fit.

    Which two sentences of the docstring begin with "Raises"?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        pass

    def check_length(self, t, table):
        pass


class NothingIsRefusedAndAllWorks(NothingIsRefused):
    def kept_in(self, keys):  # whoever counts otherwise finds that none fits: all are without mask
        return super().kept_in(keys)

    def check_cache(self, t, kept):
        self.fits = kept == t - 1

    def locate(self, model, x, table, t):
        return x + table[self.place(t) :][:1] if t <= len(table) else x + table[-1:]

    def fit_mask(self, mask):
        return mask if self.fits else None


class SizesAsserted(DecoderStep):
    """Sizes are asserted, which raises an AssertionError, not a ValueError.

    What does the docstring raise? And python -O leaves every assert out.
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        assert kept == t - 1, f"target has {t} tokens, but the cache has {kept} positions"

    def check_length(self, t, table):
        assert t <= len(table), f"target has {t} tokens, and max_len is {len(table)}"


class SizesNotNamed(DecoderStep):
    """The messages do not name the numbers.

    Who reads it wants to know how many there are. What does the docstring say?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        if kept != t - 1:
            raise ValueError("the cache does not fit to the target")

    def check_length(self, t, table):
        if t > len(table):
            raise ValueError("the target is too long")


class LongestRefused(DecoderStep):
    """A target of exactly max_len tokens is refused.

    How many rows does the table have, and which does the last token need?
    """

    item = "step_output"

    def check_length(self, t, table):
        super().check_length(t + (t == len(table)), table)


class PadsStandAtPlaceOne(PadsHaveNoPlace):
    def locate(self, model, x, table, t):
        is_pad = self.last == model.pad_id  # (batch, 1)
        return x + table[torch.where(is_pad, 1, self.real - 1)]

    def __call__(self, model, target, *others):
        self.last = target[:, -1:]
        return super().__call__(model, target, *others)


class TokensNotNamed(DecoderStep):
    """The message about the cache names how many positions it should have, not how many tokens the
    target has.

    Both numbers are asked for as they came. Which of them has something been taken from?
    """

    item = "step_sizes"

    def check_cache(self, t, kept):
        if kept != t - 1:
            raise ValueError(f"expected a cache of {t - 1} positions, got one of {kept}")


class MaskOfTheSameSourceTensor(DecoderStep):
    """The mask of the source is kept for as long as the same tensor comes, whatever has been
    written to it since then.

    A tensor's numbers can change. Who tells a step that they are others, and what does it cost to
    make a mask?
    """

    item = "step_masks"

    def memory_mask(self, model, source):
        if getattr(model, "masked_source", None) is not source:
            model.masked_source, model.kept_mask = source, super().memory_mask(model, source)
        return model.kept_mask
