"""Greedy decoding with a cache, step by step, and what goes wrong in each step."""

from contextlib import nullcontext

import torch


class GreedyDecodeCached:
    """Writes a batch of sentences, one position through the decoder in each step."""

    of = "greedy_decode_cached"
    often = (
        *("StaysInTrainMode", "LeavesEvalMode", "KeepsGradients", "MemoryAnew", "PrefixAgain"),
        *("OneTooMany", "StopsWithTheFirstRow", "EndedRowsGoOn", "PadsWithZero"),
    )

    def enter(self, model):
        was_training = model.training
        model.eval()
        return was_training

    def leave(self, model, was_training):
        model.train(was_training)

    def recording(self):
        return torch.no_grad()

    def begin(self, model, source, start_id):
        return torch.full_like(source[:, :1], start_id)  # (batch, 1)

    def has_room(self, target, source, max_len):
        return target.shape[1] < max_len

    def is_done(self, ended):
        return bool(ended.all())

    def take(self, source, model):
        return source

    def start(self, model, source):
        return start_cache(model, source)

    def before_step(self, model, target, source, cache):
        return cache

    def step(self, model, target, source, cache):
        return decoder_step(model, target, source, *cache)

    def carry(self, cache, x, keys, values):
        return keys, values, *cache[2:]

    def write(self, model, x):
        return model.output(x)

    def choose(self, logits, model):
        return logits.argmax(dim=-1)

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended, model.pad_id)

    def end(self, ended, word, end_id):
        return ended | (word == end_id)

    def append(self, target, word, ended):
        return torch.cat([target, word], dim=1)

    def give(self, target):
        return target

    def __call__(self, model, source, start_id, end_id, max_len):
        was_training = self.enter(model)
        with self.recording():
            source = self.take(source, model)
            cache = self.start(model, source)
            target = self.begin(model, source, start_id)
            ended = torch.zeros_like(target, dtype=torch.bool)
            while self.has_room(target, source, max_len) and not self.is_done(ended):
                cache = self.before_step(model, target, source, cache)
                x, keys, values = self.step(model, target, source, cache)
                cache = self.carry(cache, x, keys, values)
                chosen = self.choose(self.write(model, x), model)
                word = self.fill(chosen, ended, model, end_id)
                ended = self.end(ended, chosen, end_id)
                target = self.append(target, word, ended)
        self.leave(model, was_training)
        return self.give(target)


# The work


class MemoryAnew(GreedyDecodeCached):
    """The source is read, and its keys and values are made, anew in each step.

    Does anything of them change while the sentence is written?
    """

    item = "cached_work"

    def before_step(self, model, target, source, cache):
        return *cache[:2], *start_cache(model, source)[2:]


class MemoryProjectedAnew(GreedyDecodeCached):
    """The source is read once, but its keys and values are made anew in each step.

    What does the cross-attention make them of, and does that change?
    """

    item = "cached_work"

    def start(self, model, source):
        return *start_cache(model, source), model.encode(source)

    def before_step(self, model, target, source, cache):
        pairs = [keys_and_values(layer.cross_attn, cache[-1]) for layer in model.decoder.layers]
        both = (torch.stack([pair[place] for pair in pairs]) for place in (0, 1))
        return *cache[:2], *both, cache[-1]

    def step(self, model, target, source, cache):
        return decoder_step(model, target, source, *cache[:-1])


class PrefixAgain(GreedyDecodeCached):
    """All of the target goes through the decoder in each step, as if nothing were kept.

    Which of its positions are new?
    """

    item = "cached_work"

    def start(self, model, source):
        return model.encode(source), None, None

    def step(self, model, target, source, cache):
        return model.decode(target, cache[0], source)[:, -1:], None, None

    def carry(self, cache, x, keys, values):
        return cache


class PrefixAgainAndMemoryAnew(PrefixAgain):
    """The whole model is asked in each step: it reads the source and all of the target again.

    What of it is new in a step?
    """

    item = "cached_work"

    def step(self, model, target, source, cache):
        return model.decode(target, model.encode(source), source)[:, -1:], None, None


class AllStepsAgain(GreedyDecodeCached):
    """The cache is started anew in each step, and all words so far go through the decoder again,
    one after the other.

    What has the step before kept, and of which of these words?
    """

    item = "cached_work"

    def start(self, model, source):
        return None

    def before_step(self, model, target, source, cache):
        cache = start_cache(model, source)
        for n in range(1, target.shape[1]):
            _, keys, values = decoder_step(model, target[:, :n], source, *cache)
            cache = keys, values, *cache[2:]
        return cache


class ReadsTheLastWordToo(GreedyDecodeCached):
    """The last word goes through the decoder, too, though none is written after it: a step too
    many, and an error where max_len is one more than the model can read.

    What must be asked before a step: whether there is a word to read, or one to write?
    """

    item = "cached_words"

    def begin(self, model, source, start_id):
        self.source = source
        self.target = super().begin(model, source, start_id)
        return self.target

    def start(self, model, source):
        self.cache = super().start(model, source)
        return self.cache

    def carry(self, cache, x, keys, values):
        self.cache = super().carry(cache, x, keys, values)
        return self.cache

    def append(self, target, word, ended):
        self.target = super().append(target, word, ended)
        return self.target

    def leave(self, model, was_training):
        with torch.no_grad():
            self.step(model, self.target, self.source, self.cache)
        super().leave(model, was_training)


class OutputOfAllPositions(GreedyDecodeCached):
    """The output layer is applied to all positions so far in each step.

    The words before are written. Of which position are logits needed?
    """

    item = "cached_work"

    def start(self, model, source):
        self.states = []
        return super().start(model, source)

    def write(self, model, x):
        self.states.append(x)
        return model.output(torch.cat(self.states, dim=1))[:, -1:]


# The cache


class CacheAsLongAsTheModel(GreedyDecodeCached):
    """The cache is allotted for all that the model could read, and each step attends to all of it.

    How many tokens can there be, by what was passed? And how many are there in this step?
    """

    item = "cached_work"

    def start(self, model, source):
        keys, values, *memory = start_cache(model, source)
        room = *keys.shape[:3], len(model.decoder.positional_encoding.encoding), keys.shape[4]
        return keys.new_zeros(room), values.new_zeros(room), *memory

    def step(self, model, target, source, cache):
        keys, values, *memory = cache
        t, decoder = target.shape[1], model.decoder
        x = decoder.token_embedding(target[:, -1:]) + decoder.positional_encoding.encoding[t - 1]
        written = padding_mask(target, model.pad_id)  # (batch, 1, 1, t)
        mask = torch.nn.functional.pad(written, (0, keys.shape[3] - t))
        for i, layer in enumerate(decoder.layers):
            new_keys, new_values = keys_and_values(layer.self_attn, x)
            keys[i, :, :, t - 1 : t], values[i, :, :, t - 1 : t] = new_keys, new_values
            x = layer.norm1(x + attend(layer.self_attn, x, keys[i], values[i], mask))
            read = *(each[i] for each in memory), model.source_mask(source)
            x = layer.norm2(x + attend(layer.cross_attn, x, *read))
            x = layer.norm3(x + layer.feed_forward(x))
        return x, keys, values


class CacheNotCarried(GreedyDecodeCached):
    """What a step returns to be kept is thrown away: each step gets the empty cache.

    Under which name does the next step look for it?
    """

    item = "cached_words"

    def step(self, model, target, source, cache):
        x, _, _ = decoder_step(model, target[:, -1:], source, *cache)
        return x, None, None

    def carry(self, cache, x, keys, values):
        return cache


class CacheAndTargetDoNotFit(GreedyDecodeCached):
    """The target that is passed and the positions that are kept do not fit to each other: only the
    last token is passed, or what a step returns is thrown away.

    How many tokens does target have in the third step, and how many positions are kept by then?
    """

    item = "cached_words"

    def step(self, model, target, source, cache):
        return decoder_step(model, target[:, -1:], source, *cache)


class ValuesForKeys(GreedyDecodeCached):
    """Keys and values change places from step to step.

    In which order does decoder_step return what it keeps, and in which does it want it?
    """

    item = "cached_words"

    def carry(self, cache, x, keys, values):
        return values, keys, *cache[2:]


class CacheOfTheFirstRow(GreedyDecodeCached):
    """All rows get what the first one has kept.

    Which axis of the cache counts the rows? An axis of one is expanded without a word.
    """

    item = "cached_words"

    def carry(self, cache, x, keys, values):
        return keys[:, :1].expand_as(keys), values[:, :1].expand_as(values), *cache[2:]


class MemoryOfTheFirstRow(GreedyDecodeCached):
    """All rows read the memory of the first one.

    Each row has a source of its own. Which axis counts them?
    """

    item = "cached_words"

    def start(self, model, source):
        *empty, keys, values = start_cache(model, source)
        return *empty, keys[:, :1].expand_as(keys), values[:, :1].expand_as(values)


class SourceCut(GreedyDecodeCached):
    """Each step reads the first row's source mask.

    Sentences are of different lengths. Whose padding is blocked?
    """

    item = "cached_words"

    def step(self, model, target, source, cache):
        return decoder_step(model, target, source[:1], *cache)


class CutsToTheMostWords(GreedyDecodeCached):
    """The source is cut to as many columns as any row has words: what stands behind padding goes.

    How many words a row has, and where its last one stands, are two numbers. When do they differ?
    """

    item = "cached_words"

    def take(self, source, model):
        return source[:, : int((source != model.pad_id).sum(dim=-1).max())]


# The model's mode, and gradients


class StaysInTrainMode(GreedyDecodeCached):
    """The model is not put into eval mode: in train mode, dropout drops while it writes.

    Ask a model in train mode twice. What comes out?
    """

    item = "cached_care"

    def enter(self, model):
        return model.training


class LeavesEvalMode(GreedyDecodeCached):
    """The model is left in eval mode, in whatever mode it came.

    Somebody may go on to train it. What do they not notice?
    """

    item = "cached_care"

    def leave(self, model, was_training):
        pass


class ModeLostWithoutWords(GreedyDecodeCached):
    """With max_len 1, where nothing is written, the model is left in eval mode.

    Which lines run when a function returns early, and which of them put the mode back?
    """

    item = "cached_care"

    def enter(self, model):
        self.has_written = False
        return super().enter(model)

    def append(self, target, word, ended):
        self.has_written = True
        return super().append(target, word, ended)

    def leave(self, model, was_training):
        if self.has_written:
            super().leave(model, was_training)


class EvalModeAfterReading(GreedyDecodeCached):
    """While the source is read, the encoder is not in eval mode yet: of a model that comes in train
    mode, dropout drops from the memory.

    Which is the first line that calls a part of the model, and which parts are in eval mode then?
    """

    item = "cached_care"

    def enter(self, model):
        return model.training

    def start(self, model, source):
        cache = super().start(model, source)
        model.eval()
        return cache


class SourceReadTooEarly(GreedyDecodeCached):
    """The source is read before the model is in eval mode, and where gradients are recorded: of a
    model that comes in train mode, dropout drops from the memory, which hangs on a graph.

    Which is the first line that calls a part of the model, and what has to stand before it?
    """

    item = "cached_care"

    def enter(self, model):
        return model.training

    @torch.enable_grad()
    def start(self, model, source):
        cache = super().start(model, source)
        model.eval()
        return cache


class LeavesTrainMode(GreedyDecodeCached):
    """The model is left in train mode, in whatever mode it came.

    Somebody may go on to test it. What do they not notice?
    """

    item = "cached_care"

    def leave(self, model, was_training):
        model.train()


class KeepsGradients(GreedyDecodeCached):
    """Everything is recorded for gradients that nobody will ask for.

    Words are whole numbers: can a gradient flow through their choice? What costs the memory?
    """

    item = "cached_care"

    def recording(self):
        return nullcontext()


class KeepsGradientsOfTheSteps(GreedyDecodeCached):
    """The source is read without gradients, but each step of the decoder is recorded for them.

    What is kept grows with every word. How many of your lines run without gradients?
    """

    item = "cached_care"

    def recording(self):
        return nullcontext()

    @torch.no_grad()
    def start(self, model, source):
        return super().start(model, source)


class KeepsGradientsOfTheSource(GreedyDecodeCached):
    """Each step runs without gradients, but the source is read with them.

    What is kept of it hangs on a graph. How many of your lines run without gradients?
    """

    item = "cached_care"

    @torch.enable_grad()
    def start(self, model, source):
        return super().start(model, source)


class StartOnTheDefaultDevice(GreedyDecodeCached):
    """The first token is made on torch's default device, and the source may be elsewhere.

    Which calls make a new tensor, and can each be told where?
    """

    item = "cached_care"

    def begin(self, model, source, start_id):
        return torch.full((len(source), 1), start_id)


# How long


class OneTooMany(GreedyDecodeCached):
    """The rows may be one token longer than max_len: the start is not counted.

    How many tokens are there before the first word is written?
    """

    item = "cached_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] <= max_len


class OneTooFew(GreedyDecodeCached):
    """The rows are at most max_len - 1 long: one word could still be written.

    How many tokens are there after the first word is written?
    """

    item = "cached_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] < max_len - 1


class FirstWordIsFree(GreedyDecodeCached):
    """One word is written in any case, also where max_len is 1.

    Which comes first in the loop: writing a word, or asking whether there is room for it?
    """

    item = "cached_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] < max(max_len, 2)


class StartIsOne(GreedyDecodeCached):
    """Every row starts with the token 1, whatever start_id is.

    Where is start_id used?
    """

    item = "cached_words"

    def begin(self, model, source, start_id):
        return torch.ones_like(source[:, :1])


class OutputWithoutItsBias(GreedyDecodeCached):
    """The logits are made by the weight of the output layer alone: its bias is not added.

    The model's output is a layer. What does it do when it is called?
    """

    item = "cached_words"

    def write(self, model, x):
        return x @ model.output.weight.T


class NeverPadding(GreedyDecodeCached):
    """Padding is never chosen as a next word, even where its logit is the largest.

    Some code forbids it. Which word does greedy_decode take?
    """

    item = "cached_words"

    def choose(self, logits, model):
        forbidden = torch.arange(logits.shape[-1], device=logits.device) == model.pad_id
        return logits.masked_fill(forbidden, -torch.inf).argmax(dim=-1)


class PadEndsARow(GreedyDecodeCached):
    """A row in which the model itself writes a pad counts as ended.

    That pad is a word like any other. By which id does a row end?
    """

    item = "cached_words"

    def fill(self, word, ended, model, end_id):
        self.pad_id = model.pad_id
        return super().fill(word, ended, model, end_id)

    def end(self, ended, word, end_id):
        return super().end(ended, word, end_id) | (word == self.pad_id)


class PadsCutOff(GreedyDecodeCached):
    """The last columns are cut off where nothing but pads stands in them, though the model wrote
    these.

    Such a pad is a word like any other. By what is the width known, then?
    """

    item = "cached_words"

    def enter(self, model):
        self.pad_id = model.pad_id
        return super().enter(model)

    def give(self, target):
        (columns,) = (target != self.pad_id).any(0).nonzero(as_tuple=True)
        return target[:, : int(columns.max()) + 1]


class WithoutTheStart(GreedyDecodeCached):
    """The start token is cut off.

    What does each row begin with, says the docstring?
    """

    item = "cached_words"

    def give(self, target):
        return target[:, 1:]


# The end


class StopsWithTheFirstRow(GreedyDecodeCached):
    """The writing stops as soon as one row has ended.

    The others are in the middle of their sentences. When may it stop?
    """

    item = "cached_end"

    def is_done(self, ended):
        return bool(ended.any())


class PadsToMaxLen(GreedyDecodeCached):
    """When all rows have ended, padding is added until they are max_len long.

    How wide is the longest row? Nothing is to be written after its end.
    """

    item = "cached_end"

    def is_done(self, ended):
        return False


class EndedRowsGoOn(GreedyDecodeCached):
    """Rows that have ended write on: behind their end_id stand more words.

    What is to stand in a row after its end_id?
    """

    item = "cached_end"

    def fill(self, word, ended, model, end_id):
        return word


class TheStartNeverEndsARow(GreedyDecodeCached):
    """Where start_id is end_id, no row ever ends, not even with an end_id that it has written.

    The start ends no row because it was not written. What of the same token where it is?
    """

    item = "cached_end"

    def begin(self, model, source, start_id):
        self.start_id = start_id
        return super().begin(model, source, start_id)

    def end(self, ended, word, end_id):
        return ended if end_id == self.start_id else super().end(ended, word, end_id)


class StartIsAnEnd(GreedyDecodeCached):
    """All of the row is searched for end_id, its start too: where start_id is end_id, every row has
    ended before its first word.

    Has the start been produced by the model?
    """

    item = "cached_end"

    def begin(self, model, source, start_id):
        self.start_id = start_id
        return super().begin(model, source, start_id)

    def has_room(self, target, source, max_len):
        return super().has_room(target, source, max_len) and self.start_id != self.end_id

    def __call__(self, model, source, start_id, end_id, max_len):
        self.end_id = end_id
        return super().__call__(model, source, start_id, end_id, max_len)


class StartIsAnEndOfWhatFollows(StartIsAnEnd):
    def has_room(self, target, source, max_len):
        return GreedyDecodeCached.has_room(self, target, source, max_len)

    def fill(self, word, ended, model, end_id):
        return super().fill(word, ended | (self.start_id == end_id), model, end_id)

    def end(self, ended, word, end_id):
        return super().end(ended, word, end_id) | (self.start_id == end_id)


class WrittenIntoOtherRows(GreedyDecodeCached):
    """Rows that have ended leave the batch. From the second time on, the others' words are written
    into wrong rows: their places are counted in the batch that has shrunk already.

    Which numbers say where a row stands in the result: those of now, or those of the beginning?
    """

    item = "cached_end"

    def begin(self, model, source, start_id):
        self.written = super().begin(model, source, start_id)
        self.rows = self.places = torch.arange(len(source), device=source.device)
        return self.written

    def fill(self, word, ended, model, end_id):
        self.pad_id = model.pad_id
        return super().fill(word, ended, model, end_id)

    def append(self, target, word, ended):
        column = torch.full_like(word, self.pad_id)
        column[self.places] = word[self.rows]
        self.written = torch.cat([self.written, column], dim=1)
        going = ~ended[self.rows, 0]
        if not going.all():
            self.rows, (self.places,) = self.rows[going], going.nonzero(as_tuple=True)
        return super().append(target, word, ended)

    def give(self, target):
        return self.written


class SourcesOfOtherRows(GreedyDecodeCached):
    """Rows that have ended leave the batch. From the second time on, the others get the source
    masks of other rows: who stays is counted among those left, and looked up among all.

    Which row does a number name when some have left already?
    """

    item = "cached_end"

    def begin(self, model, source, start_id):
        self.rows = self.asked = torch.arange(len(source), device=source.device)
        return super().begin(model, source, start_id)

    def step(self, model, target, source, cache):
        return decoder_step(model, target, source[self.asked], *cache)

    def append(self, target, word, ended):
        (left,) = (~ended[self.rows, 0]).nonzero(as_tuple=True)
        if len(left) < len(self.rows):
            self.rows = self.rows[left]
            self.asked = self.asked.index_copy(0, self.rows, left)
        return super().append(target, word, ended)


class PaddingOfTheFirstRows(GreedyDecodeCached):
    """Once rows have ended, those that go on are asked with the sources of the first rows, as many
    as are left, whose padding is blocked in the place of their own.

    As many are left as that, but are they the first? What of a row has to leave the batch with it?
    """

    item = "cached_end"

    def begin(self, model, source, start_id):
        self.asked = torch.arange(len(source), device=source.device)
        return super().begin(model, source, start_id)

    def step(self, model, target, source, cache):
        return decoder_step(model, target, source[self.asked], *cache)

    def append(self, target, word, ended):
        (going,) = (~ended[:, 0]).nonzero(as_tuple=True)
        self.asked = self.asked.index_copy(0, going, torch.arange(len(going), device=going.device))
        return super().append(target, word, ended)


class MemoryOfTheFirstRows(PaddingOfTheFirstRows):
    """Once rows have ended, those that go on read the memory of the first rows, as many as are
    left, and not their own.

    As many are left as that, but are they the first? What of a row has to leave the batch with it?
    """

    def step(self, model, target, source, cache):
        keys, values, *memory = cache
        theirs = (each[:, self.asked] for each in memory)
        return decoder_step(model, target, source, keys, values, *theirs)


class BlankedBesideAnEnd(GreedyDecodeCached):
    """Where a row has ended, those that never end are blanked after their first word, as if that
    had been their end.

    argmax gives a place in any case. Which one, when nothing is found?
    """

    item = "cached_end"

    def enter(self, model):
        self.pad_id, self.ended = model.pad_id, None
        return super().enter(model)

    def append(self, target, word, ended):
        self.ended = ended
        return super().append(target, word, ended)

    def give(self, target):
        if self.ended is None or not self.ended.any():
            return target
        rest = target[:, 2:].masked_fill(~self.ended, self.pad_id)
        return torch.cat([target[:, :2], rest], dim=1)


class BlankedWithoutAnEnd(BlankedBesideAnEnd):
    """A row that never ends is blanked after its first word, as if that had been its end.

    argmax gives a place in any case. Which one, when nothing is found?
    """

    item = "cached_words"

    def give(self, target):
        if self.ended is None:
            return target
        rest = target[:, 2:].masked_fill(~self.ended, self.pad_id)
        return torch.cat([target[:, :2], rest], dim=1)


class NeverEnds(GreedyDecodeCached):
    """end_id is not looked at: each row has max_len tokens, and goes on after its end.

    When is a sentence finished, and what is in its row from there on?
    """

    item = "cached_end"

    def is_done(self, ended):
        return False

    def fill(self, word, ended, model, end_id):
        return word


class PadsWithTheEnd(GreedyDecodeCached):
    """Rows that have ended are filled with end_id.

    What does the docstring fill them with?
    """

    item = "cached_end"

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended, end_id)


class PadsWithZero(GreedyDecodeCached):
    """Rows that have ended are filled with 0, whatever the model's pad_id is.

    Where does the model keep the id of padding?
    """

    item = "cached_end"

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended, 0)


class EndIsPadded(GreedyDecodeCached):
    """end_id itself is replaced by padding: no row shows where it ended.

    From where on is a row padded: from end_id on, or after it?
    """

    item = "cached_end"

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended | (word == end_id), model.pad_id)


class ForgetsWhoHasEnded(GreedyDecodeCached):
    """A row counts as ended for one step only, and then it goes on.

    Who has ended before has ended for good. Where is that kept?
    """

    item = "cached_end"

    def end(self, ended, word, end_id):
        return word == end_id


class LastEndIsMissing(GreedyDecodeCached):
    """The step in which the last row ends is not kept: its end_id is missing.

    In which order does the loop append a word, and ask whether all rows have ended?
    """

    item = "cached_end"

    def append(self, target, word, ended):
        return target if ended.all() else torch.cat([target, word], dim=1)


class ModeLostAtAnEarlyEnd(GreedyDecodeCached):
    """When all rows have ended before max_len, the model is left in eval mode: the function is left
    there, and what puts the mode back stands after it.

    Which lines does a return inside of a loop leave out? What does `finally` do?
    """

    item = "cached_care"

    def enter(self, model):
        self.ended_early = False
        return super().enter(model)

    def is_done(self, ended):
        self.ended_early = bool(ended.all())
        return self.ended_early

    def leave(self, model, was_training):
        if not self.ended_early:
            model.train(was_training)


class StopsWhenAllEndTogether(GreedyDecodeCached):
    """It stops early only if all rows write end_id in the same step: rows that end one after the
    other are padded until they are max_len long.

    Which rows have ended: those whose last word is end_id, or those that ever wrote it?
    """

    item = "cached_end"

    def end(self, ended, word, end_id):
        self.together = bool(((word == end_id) & ~ended).all())
        return super().end(ended, word, end_id)

    def is_done(self, ended):
        return bool(ended.any()) and getattr(self, "together", False)


class ReadFromOtherRowsToo(WrittenIntoOtherRows):
    def begin(self, model, source, start_id):
        self.out = torch.full_like(source[:, :1], start_id)
        self.alive, self.kept = torch.arange(len(source), device=source.device), None
        return self.out

    def step(self, model, target, source, cache):
        cache = cache if self.kept is None else self.kept
        x, keys, values = decoder_step(model, self.out[self.alive], source[self.alive], *cache)
        self.kept = keys, values, *cache[2:]
        return x, keys, values

    def fill(self, word, ended, model, end_id):
        self.pad_id = model.pad_id
        return word

    def end(self, ended, word, end_id):
        going = (word != end_id)[:, 0]
        column = torch.full_like(self.out[:, :1], self.pad_id)
        column[self.alive] = word
        self.out = torch.cat([self.out, column], dim=1)
        (self.alive,) = going.nonzero(as_tuple=True)
        self.kept = tuple(each[:, going] for each in self.kept)
        return ~going[:, None]

    def append(self, target, word, ended):
        return self.out

    def give(self, target):
        return target


class CutsThePositions(GreedyDecodeCached):
    """The model's table of positions is cut to max_len, and stays so: a later call that writes more
    finds no rows.

    The model is not yours. What may a function leave behind in it?
    """

    item = "cached_care"

    def has_room(self, target, source, max_len):
        places = self.model.decoder.positional_encoding
        places.encoding = places.encoding[:max_len]
        return super().has_room(target, source, max_len)

    def enter(self, model):
        self.model = model
        return super().enter(model)


class SortedTwice(GreedyDecodeCached):
    """Rows are sorted by the lengths of their sources, and in the end put into that order again,
    not back: of three and more, some get the words of others.

    The order says which row came to each place. Which numbers say to which place each row goes?
    """

    item = "cached_words"

    def start(self, model, source):
        self.order = (source == model.pad_id).sum(dim=1).argsort(stable=True)
        return super().start(model, source[self.order])

    def step(self, model, target, source, cache):
        return super().step(model, target, source[self.order], cache)

    def give(self, target):
        return target[self.order]


class SortedTwiceFromTheShortest(SortedTwice):
    def start(self, model, source):
        self.order = (source != model.pad_id).sum(dim=1).argsort(stable=True)
        return GreedyDecodeCached.start(self, model, source[self.order])


class WritesWhatItCanRead(GreedyDecodeCached):
    """No more is written than the model can read: one token is missing where max_len is larger.

    A word is read when the next one is wanted. Who reads the last one?
    """

    item = "cached_words"

    def enter(self, model):
        self.places = len(model.decoder.positional_encoding.encoding)
        return super().enter(model)

    def has_room(self, target, source, max_len):
        return super().has_room(target, source, min(max_len, self.places))


class RemembersTheLastSource(GreedyDecodeCached):
    """What is kept of the memory is kept with the model, and used again for the same words, also
    after other weights have been loaded.

    Nothing is kept from one call to the next. What of the model may change in between?
    """

    item = "cached_care"

    def start(self, model, source):
        last = getattr(model, "last_start", None)
        if last is None or not torch.equal(last[0], source):
            last = model.last_start = source.clone(), super().start(model, source)
        return last[1]


class SqueezesTheWords(GreedyDecodeCached):
    """The next words lose all axes of size 1, that of a batch of a single row, too, and an error is
    raised.

    Which step squeezes an axis of size 1 away? A batch of one is a batch, too.
    """

    item = "cached_words"

    def choose(self, logits, model):
        return super().choose(logits, model).squeeze()[:, None]
