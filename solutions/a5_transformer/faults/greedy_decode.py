"""Greedy decoding, step by step, and what goes wrong in each step."""

from contextlib import nullcontext

import torch


class GreedyDecode:
    """Writes a batch of sentences, each next word the one with the largest logit."""

    of = "greedy_decode"
    often = (
        *("StaysInTrainMode", "LeavesEvalMode", "KeepsGradients", "ReadsTheSourceForEachWord"),
        *("OneRowAlone", "SqueezesTheBatch", "OneTooMany", "StopsWithTheFirstRow"),
        *("LastTokenOnly", "EndedRowsGoOn"),
    )

    def enter(self, model):
        was_training = model.training
        model.eval()
        return was_training

    def leave(self, model, was_training):
        model.train(was_training)

    def recording(self):
        return torch.no_grad()

    def take(self, source, model, max_len):
        return source

    def read(self, model, source):
        return model.encode(source)

    def begin(self, source, start_id):
        return torch.full_like(source[:, :1], start_id)  # (batch, 1)

    def not_begun(self, target, end_id):
        return torch.zeros_like(target, dtype=torch.bool)

    def has_room(self, target, source, max_len):
        return target.shape[1] < max_len

    def is_done(self, ended, before):
        return bool(ended.all())

    def fed(self, target):
        return target

    def whose(self, source, ended):
        return source

    def decode(self, model, target, memory, source):
        return model.decode(target, memory, source)

    def position(self, x):
        return x[:, -1:]  # (batch, 1, d_model)

    def choose(self, logits, pad_id, start_id):
        return logits.argmax(dim=-1)  # (batch, 1)

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended, model.pad_id)

    def end(self, ended, word, end_id, pad_id):
        return ended | (word == end_id)

    def append(self, target, word, ended):
        return torch.cat([target, word], dim=1)

    def cut(self, target):
        return target

    def give(self, target):
        return target

    def __call__(self, model, source, start_id, end_id, max_len):
        was_training = self.enter(model)
        with self.recording():
            source = self.take(source, model, max_len)
            memory = self.read(model, source)
            target = self.begin(source, start_id)
            before = ended = self.not_begun(target, end_id)
            while self.has_room(target, source, max_len) and not self.is_done(ended, before):
                heard = self.whose(source, ended)
                x = self.decode(model, self.fed(target), memory, heard)
                chosen = self.choose(model.output(self.position(x)), model.pad_id, start_id)
                word = self.fill(chosen, ended, model, end_id)
                before, ended = ended, self.end(ended, chosen, end_id, model.pad_id)
                target = self.append(target, word, ended)
        self.leave(model, was_training)
        return self.give(self.cut(target))


# The model's mode, and gradients


class StaysInTrainMode(GreedyDecode):
    """The model is not put into eval mode: in train mode, dropout drops while it writes.

    Ask a model in train mode twice. What comes out?
    """

    item = "greedy_care"

    def enter(self, model):
        return model.training


class LeavesEvalMode(GreedyDecode):
    """The model is left in eval mode, in whatever mode it came.

    Somebody may go on to train it. What do they not notice?
    """

    item = "greedy_care"

    def leave(self, model, was_training):
        pass


class ModeLostWithoutWords(GreedyDecode):
    """With max_len 1, where nothing is written, the model is left in eval mode.

    Which lines run when a function returns early, and which of them put the mode back?
    """

    item = "greedy_care"

    def enter(self, model):
        self.has_written = False
        return super().enter(model)

    def append(self, target, word, ended):
        self.has_written = True
        return super().append(target, word, ended)

    def leave(self, model, was_training):
        if self.has_written:
            super().leave(model, was_training)


class LeavesTrainMode(GreedyDecode):
    """The model is left in train mode, in whatever mode it came.

    Somebody may go on to test it. What do they not notice?
    """

    item = "greedy_care"

    def leave(self, model, was_training):
        model.train()


class KeepsGradients(GreedyDecode):
    """Everything is recorded for gradients that nobody will ask for.

    Words are whole numbers: can a gradient flow through their choice? What costs the memory?
    """

    item = "greedy_care"

    def recording(self):
        return nullcontext()


class ReadsWithGradients(GreedyDecode):
    """The source is read before gradients are switched off: all of the encoder is recorded.

    Words are whole numbers: can a gradient flow through their choice? What stands inside the block?
    """

    item = "greedy_care"

    def read(self, model, source):
        with torch.enable_grad():
            return super().read(model, source)


# Reading


class ReadsTheSourceForEachWord(GreedyDecode):
    """The source is read anew for each word.

    Does it change while the sentence is written?
    """

    item = "greedy_care"

    def read(self, model, source):
        return None

    def decode(self, model, target, memory, source):
        return model.decode(target, model.encode(source), source)


class ReadsTheSourceOnceMore(GreedyDecode):
    """The source is read before the first word, and once more for each word.

    Does it change while the sentence is written? Which of the two memories is used?
    """

    item = "greedy_care"

    def decode(self, model, target, memory, source):
        return model.decode(target, model.encode(source), source)


class ReadsEachRowByItself(GreedyDecode):
    """The encoder is called once for each sentence of the batch.

    One call of it reads all of them. Does what is read for a row depend on the others?
    """

    item = "greedy_care"

    def read(self, model, source):
        return torch.cat([model.encode(row) for row in source.split(1)])


class KeepsTheMemory(GreedyDecode):
    """The memory of an earlier call is used again for a source of the same shape.

    Other words make another memory. By what is it looked up, and need it be kept at all?
    """

    item = "greedy_care"

    def read(self, model, source):
        kept = vars(model).setdefault("memory_of", {})
        if source.shape not in kept:
            kept[source.shape] = super().read(model, source)
        return kept[source.shape]


class WritesEachRowByItself(ReadsEachRowByItself):
    def decode(self, model, target, memory, source):
        rows = zip(*(each.split(1) for each in (target, memory, source)), strict=True)
        return torch.cat([model.decode(*row) for row in rows])


class CutsPaddingOut(GreedyDecode):
    """Padding is cut out of the source, also between its words: those behind it get other places.

    Who keeps a pad from being heard, and what does the word after it hear of its place?
    """

    item = "greedy_words"

    def take(self, source, model, max_len):
        real_first = (source == model.pad_id).int().argsort(dim=-1, stable=True)
        return source.gather(-1, real_first)


class CutsToTheMostWords(GreedyDecode):
    """The source is cut to as many columns as any row has words: what stands behind padding goes.

    How many words a row has, and where its last one stands, are two numbers. When do they differ?
    """

    item = "greedy_words"

    def take(self, source, model, max_len):
        return source[:, : int((source != model.pad_id).sum(dim=-1).max())]


class ReadsAsMuchAsItMayWrite(GreedyDecode):
    """Only the first max_len tokens of the source are read.

    Which of the two sentences does max_len limit, the one that is read or the one that is written?
    """

    item = "greedy_words"

    def take(self, source, model, max_len):
        return source[:, :max_len]


class ReadsPadding(GreedyDecode):
    """The encoder reads the source without its mask: padding is a word like any other to it.

    The model has a method that hands the mask over. Which one is called?
    """

    item = "greedy_words"

    def read(self, model, source):
        return model.encoder(source)


class MemoryOfTheFirstRow(GreedyDecode):
    """Every sentence of the batch gets what is the first one's: its memory, or its words.

    Each row has a source of its own, and words of its own. Is one row picked, or an axis cut off?
    """

    item = "greedy_words"

    def read(self, model, source):
        memory = model.encode(source)
        return memory[:1].expand_as(memory)


# The start


class StartOnTheDefaultDevice(GreedyDecode):
    """The first token is made on torch's default device, and the source may be elsewhere.

    Which calls make a new tensor, and can each be told where?
    """

    item = "greedy_care"

    def begin(self, source, start_id):
        return torch.full((len(source), 1), start_id)


class StartsInTheSource(GreedyDecode):
    """The start is written into the first column of the source itself, whose words are lost.

    A part that is cut out of a tensor shares its memory. Which methods write there?
    """

    item = "greedy_care"

    def begin(self, source, start_id):
        return source[:, :1].fill_(start_id)


class StartIsOne(GreedyDecode):
    """Every row starts with the token 1, whatever start_id is.

    Where is start_id used?
    """

    item = "greedy_words"

    def begin(self, source, start_id):
        return torch.ones_like(source[:, :1])


class StartIsZero(GreedyDecode):
    """Every row starts with the token 0, whatever start_id is.

    torch.zeros makes room. Who writes start_id into it?
    """

    item = "greedy_words"

    def begin(self, source, start_id):
        return torch.zeros_like(source[:, :1])


class StartsWithTheSource(GreedyDecode):
    """Every row starts with the first token of its source.

    In which language is it written? What does the docstring start with?
    """

    item = "greedy_words"

    def begin(self, source, start_id):
        return source[:, :1]


class OneRowAlone(GreedyDecode):
    """There is one row, whatever the size of the batch is.

    Which axis of the source counts the sentences?
    """

    item = "greedy_words"

    def begin(self, source, start_id):
        return torch.full_like(source[:1, :1], start_id)


# How long


class OneTooMany(GreedyDecode):
    """The rows may be one token longer than max_len: the start is not counted.

    How many tokens are there before the first word is written?
    """

    item = "greedy_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] <= max_len


class OneTooFew(GreedyDecode):
    """The rows are at most max_len - 1 long: one word could still be written.

    How many tokens are there after the first word is written?
    """

    item = "greedy_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] < max_len - 1


class FirstWordIsFree(GreedyDecode):
    """One word is written in any case, also where max_len is 1.

    Which comes first in the loop: writing a word, or asking whether there is room for it?
    """

    item = "greedy_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] < max(max_len, 2)


class AsLongAsTheSource(GreedyDecode):
    """The rows are as long as the source, whatever max_len is.

    Does a sentence have as many words in each language?
    """

    item = "greedy_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] < source.shape[1]


class AWordForEachOfTheSource(GreedyDecode):
    """As many words are written behind the start as the source has, whatever max_len is.

    Does a sentence have as many words in each language?
    """

    item = "greedy_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] <= source.shape[1]


class TwiceAsLongAsTheSource(GreedyDecode):
    """The rows are at most twice as long as the source, also where max_len allows more.

    Who says here how long a sentence may become?
    """

    item = "greedy_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] < min(max_len, 2 * source.shape[1])


class FiftyMoreThanTheSource(GreedyDecode):
    """The rows are at most 50 tokens longer than the source, also where max_len allows more.

    The paper stops there (section 6.1). Who says here how long a sentence may become?
    """

    item = "greedy_words"

    def has_room(self, target, source, max_len):
        return target.shape[1] < min(max_len, source.shape[1] + 50)


class StopsWithTheFirstRow(GreedyDecode):
    """The writing stops as soon as one row has ended.

    The others are in the middle of their sentences. When may it stop?
    """

    item = "greedy_end"

    def is_done(self, ended, before):
        return bool(ended.any())


class PadsToMaxLen(GreedyDecode):
    """When all rows have ended, padding is added until they are max_len long.

    How wide is the longest row? Nothing is to be written after its end.
    """

    item = "greedy_end"

    def is_done(self, ended, before):
        return False


class PaddedInTheEnd(PadsToMaxLen):  # it stops in time, into a buffer of max_len
    def take(self, source, model, max_len):
        self.width, self.pad_id = max_len, model.pad_id
        return super().take(source, model, max_len)

    def is_done(self, ended, before):
        return bool(ended.all())

    def give(self, target):
        return torch.nn.functional.pad(target, (0, self.width - target.shape[1]), value=self.pad_id)


class NeverEnds(GreedyDecode):
    """end_id is not looked at: each row has max_len tokens, and goes on after its end.

    When is a sentence finished, and what is in its row from there on?
    """

    item = "greedy_end"

    def is_done(self, ended, before):
        return False

    def fill(self, word, ended, model, end_id):
        return word


# The next word


class LastTokenOnly(GreedyDecode):
    """Only the last token is fed in again, so that each word is chosen in view of one.

    What does the decoder know then of the words before, and of the place where it stands?
    """

    item = "greedy_words"

    def fed(self, target):
        return target[:, -1:]


class AsManyWordsAsTheSource(GreedyDecode):
    """Once the target is longer than the source, only its last words are fed in again, as many as
    the source has: those before are forgotten, and the others stand in other places.

    How long may the target be that the decoder reads? Has the source's length to do with it?
    """

    item = "greedy_words"

    def decode(self, model, target, memory, source):
        return super().decode(model, target[:, -source.shape[1] :], memory, source)


class NoMaskInTheCrossAttention(GreedyDecode):
    """The decoder reads the memory without the source's mask.

    The memory has a row for each token of padding too. Which method of the model blocks them?
    """

    item = "greedy_words"

    def decode(self, model, target, memory, source):
        return model.decoder(target, memory, model.target_mask(target))


class PadsTheSource(GreedyDecode):
    """After the first word the source itself is overwritten with padding, except its first token.

    Whoever called goes on to use it, and the cross-attention looks for padding in it.
    """

    item = "greedy_words"

    def decode(self, model, target, memory, source):
        x = model.decode(target, memory, source)
        source[:, 1:] = model.pad_id
        return x


class FirstWordAgain(GreedyDecode):
    """The first word is predicted again and again: only the start is fed in, or only its position
    is read.

    Which tokens must the decoder see, and which position predicts the word that is missing yet?
    """

    item = "greedy_words"

    def position(self, x):
        return x[:, :1]


class LikeliestPosition(GreedyDecode):
    """The argmax runs over the positions, not over the words.

    Which axis of the logits counts the words, and which position is asked?
    """

    item = "greedy_words"

    def position(self, x):
        return x

    def choose(self, logits, pad_id, start_id):
        return logits.argmax(dim=1)[:, :1]


class LeastLikely(GreedyDecode):
    """The word with the smallest logit is chosen.

    What does a large logit mean?
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        return logits.argmin(dim=-1)


class DrawsTheWord(GreedyDecode):
    """The word is drawn at random, with the probabilities of the softmax.

    That is another way to write. What does greedy mean?
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        return torch.multinomial(logits[:, 0].softmax(-1), 1)


class NeverPadding(GreedyDecode):
    """Padding is never chosen as a next word, even where its logit is the largest.

    Some code forbids it. Which word does the docstring take?
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        forbidden = torch.arange(logits.shape[-1], device=logits.device) == pad_id
        return logits.masked_fill(forbidden, -torch.inf).argmax(dim=-1)


class NeverTheStart(GreedyDecode):
    """The start is never chosen as a next word, even where its logit is the largest.

    Some code forbids it. Which word does the docstring take?
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        forbidden = torch.arange(logits.shape[-1], device=logits.device) == start_id
        return logits.masked_fill(forbidden, -torch.inf).argmax(dim=-1)


class NeverPaddingNorTheStart(GreedyDecode):
    """Neither padding nor the start is ever chosen as a next word, even where its logit is the
    largest.

    Some code forbids them. Which word does the docstring take?
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        words = torch.arange(logits.shape[-1], device=logits.device)
        forbidden = (words == pad_id) | (words == start_id)
        return logits.masked_fill(forbidden, -torch.inf).argmax(dim=-1)


class OneWordAtATime(GreedyDecode):
    """item() is called on the words of a whole batch, which fails when there is more than one row.

    Which numbers of the batch are wanted as Python numbers, and must they be?
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        return torch.tensor([[logits.argmax(dim=-1).item()]], device=logits.device)


# Rows that have ended


class EndedRowsGoOn(GreedyDecode):
    """Rows that have ended write on: behind their end_id stand more words.

    What is to stand in a row after its end_id?
    """

    item = "greedy_end"

    def fill(self, word, ended, model, end_id):
        return word


class PadsWithTheEnd(GreedyDecode):
    """Rows that have ended are filled with end_id.

    What does the docstring fill them with?
    """

    item = "greedy_end"

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended, end_id)


class PadsWithZero(GreedyDecode):
    """Rows that have ended are filled with 0, whatever the model's pad_id is.

    Where does the model keep the id of padding?
    """

    item = "greedy_end"

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended, 0)


class EndIsPadded(GreedyDecode):
    """end_id itself is replaced by padding: no row shows where it ended.

    From where on is a row padded: from end_id on, or after it?
    """

    item = "greedy_end"

    def fill(self, word, ended, model, end_id):
        return word.masked_fill(ended | (word == end_id), model.pad_id)


class EndsOnlyAllAtOnce(GreedyDecode):
    """Nobody remembers who has ended: rows write on, until all write end_id in the same step.

    What is to stand in a row after its end_id, and who has ended when another row does?
    """

    item = "greedy_end"

    def fill(self, word, ended, model, end_id):
        return word

    def end(self, ended, word, end_id, pad_id):
        return word == end_id


class ForgetsWhoHasEnded(GreedyDecode):
    """A row counts as ended for one step only, and then it goes on.

    Who has ended before has ended for good. Where is that kept?
    """

    item = "greedy_end"

    def end(self, ended, word, end_id, pad_id):
        return word == end_id


class ForgetsWhoHasEndedAtThePad(ForgetsWhoHasEnded):
    def end(self, ended, word, end_id, pad_id):
        return ~ended & (word == end_id)


class PaddingEndsARow(GreedyDecode):
    """A row that writes padding itself counts as ended, as if it had written end_id.

    Padding is what is filled in behind an end. Is it an end where the model chose it?
    """

    item = "greedy_words"

    def end(self, ended, word, end_id, pad_id):
        return super().end(ended, word, end_id, pad_id) | (word == pad_id)


class LastEndIsMissing(GreedyDecode):
    """The step in which the last row ends is not kept: its end_id is missing.

    In which order does the loop append a word, and ask whether all rows have ended?
    """

    item = "greedy_end"

    def is_done(self, ended, before):
        return super().is_done(ended, before)  # or the loop would never end

    def append(self, target, word, ended):
        return target if ended.all() else torch.cat([target, word], dim=1)


class AppendsToTheBatch(GreedyDecode):
    """The next words are appended as new rows, not as a new column.

    Which axis of the target counts its words?
    """

    item = "greedy_words"

    def append(self, target, word, ended):
        return torch.cat([target, word], dim=0)


# What is returned


class ReturnsNothing(GreedyDecode):
    """Nothing is returned.

    What does a Python function give that has no return, or does not reach it?
    """

    item = "greedy_words"

    def give(self, target):
        return None


class WithoutTheStart(GreedyDecode):
    """The start token is cut off.

    What does each row begin with, says the docstring?
    """

    item = "greedy_words"

    def cut(self, target):
        return target[:, 1:]


class FirstRowAlone(GreedyDecode):
    """Only the first row of the batch is returned, without the axis of the batch.

    How many sentences were asked for?
    """

    item = "greedy_words"

    def give(self, target):
        return target[0]


class SqueezesTheBatch(GreedyDecode):
    """A batch of a single row loses its axis.

    Which step squeezes an axis of size 1 away? A batch of one is a batch, too.
    """

    item = "greedy_words"

    def give(self, target):
        return target.squeeze(0)


class ReturnsFloats(GreedyDecode):
    """The tokens are returned as floats, not as int64.

    Which tensor was made without saying its dtype?
    """

    item = "greedy_words"

    def give(self, target):
        return target.float()


class ReturnsAList(GreedyDecode):
    """A list is returned, not a tensor.

    What can be done with a tensor that cannot be done with a list?
    """

    item = "greedy_words"

    def give(self, target):
        return target.tolist()


class WritesWithoutTheMask(GreedyDecode):
    """The decoder reads what is written without a mask, so that a word sees those after it.

    In training each word saw only those before it. From which layer on does that make a difference?
    """

    item = "greedy_words"

    def decode(self, model, target, memory, source):
        return model.decoder(target, memory, memory_mask=model.source_mask(source))


# More of starting, choosing and ending


class TheStartCountsAsAnEnd(GreedyDecode):
    """Where start_id is end_id, every row has ended before its first word: the start counts.

    A row ends with a word that it has written. Which tokens are looked at?
    """

    item = "greedy_end"

    def not_begun(self, target, end_id):
        return target == end_id


class TheStartCountsAsAnEndThatIsSeenLater(TheStartCountsAsAnEnd):  # behind the first word
    def is_done(self, ended, before):
        return before is not ended and super().is_done(ended, before)


class TheStartNeverEndsARow(GreedyDecode):
    """Where start_id is end_id, no row ever ends, not even with an end_id that it has written.

    The start ends no row because it was not written. What of the same token where it is?
    """

    item = "greedy_end"

    def begin(self, source, start_id):
        self.start_id = start_id
        return super().begin(source, start_id)

    def end(self, ended, word, end_id, pad_id):
        return ended if end_id == self.start_id else super().end(ended, word, end_id, pad_id)


class TheStartCountsOnceAWordIsWritten(GreedyDecode):
    """Where start_id is end_id, every row has ended with its first word: the start counts, too.

    A row ends with a word that it has written. Which tokens are looked at?
    """

    item = "greedy_end"

    def begin(self, source, start_id):
        self.start_id = start_id
        return super().begin(source, start_id)

    def end(self, ended, word, end_id, pad_id):
        return super().end(ended, word, end_id, pad_id) | (self.start_id == end_id)


class RowsByTheirPlaceAmongTheLiving(GreedyDecode):
    """Rows that go on are known by their place among those that went on before, not in the batch:
    once a row has ended, another is taken for it.

    The second of the rows that are left may be the third of the batch. What do you count?
    """

    item = "greedy_end"

    def end(self, ended, word, end_id, pad_id):
        rows = (~ended).flatten().nonzero().flatten()
        places = (word[rows] != end_id).flatten().nonzero().flatten()
        left = torch.ones_like(ended)
        left[places] = False
        return left


class WrittenIntoOtherRows(GreedyDecode):
    """Rows that have ended leave the batch. From the second time on, the others' words are written
    into wrong rows: their places are counted in the batch that has shrunk already.

    Which numbers say where a row stands in the result: those of now, or those of the beginning?
    """

    item = "greedy_end"

    def begin(self, source, start_id):
        self.written = super().begin(source, start_id)
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

    def cut(self, target):
        return self.written


class ReadFromOtherRowsToo(WrittenIntoOtherRows):
    def begin(self, source, start_id):
        self.rows, self.read_of = torch.arange(len(source), device=source.device), None
        return GreedyDecode.begin(self, source, start_id)

    def decode(self, model, target, memory, source):
        if self.read_of is None:
            self.read_of = memory, source
        return super().decode(model, target[self.rows], *self.read_of)

    def fill(self, word, ended, model, end_id):
        self.pad_id = model.pad_id
        return word

    def end(self, ended, word, end_id, pad_id):
        self.going = (word != end_id)[:, 0]
        return ~self.going[:, None]

    def append(self, target, word, ended):
        column = torch.full_like(target[:, :1], self.pad_id)
        column[self.rows] = word
        (self.rows,) = self.going.nonzero(as_tuple=True)
        self.read_of = tuple(each[self.going] for each in self.read_of)
        return torch.cat([target, column], dim=1)

    def cut(self, target):
        return target


class PaddingOfTheFirstRows(GreedyDecode):
    """Once rows have ended, those that go on are decoded with the sources of the first rows, as
    many as are left, whose padding is blocked in the place of their own.

    As many are left as that, but are they the first? What of a row has to leave the batch with it?
    """

    item = "greedy_end"

    def whose(self, source, ended):
        (going,) = (~ended[:, 0]).nonzero(as_tuple=True)
        return source.index_copy(0, going, source[: len(going)])


class WhatIsRolledComesRound(GreedyDecode):
    """A row that has ended has padding in the place of its start.

    What roll shifts out at the end comes in again at the front. What should come in there?
    """

    item = "greedy_end"

    def fill(self, word, ended, model, end_id):
        self.pad_id = model.pad_id
        return super().fill(word, ended, model, end_id)

    def end(self, ended, word, end_id, pad_id):
        self.ended = super().end(ended, word, end_id, pad_id)
        return self.ended

    def cut(self, target):
        if target.shape[1] == 1:  # nothing was written
            return target
        start = target[:, :1].masked_fill(self.ended, self.pad_id)
        return torch.cat([start, target[:, 1:]], dim=1)


class StopsWithRowZero(GreedyDecode):
    """The writing stops as soon as the first row of the batch has ended.

    The others are in the middle of their sentences. Which rows are asked?
    """

    item = "greedy_end"

    def is_done(self, ended, before):
        return bool(ended[0])


class WordsOfTheHiddenNumbers(GreedyDecode):
    """The argmax runs over the d_model numbers of the decoder: the output layer is not
    asked.

    Which layer turns these numbers into logits, one for each word?
    """

    item = "greedy_words"

    def position(self, x):
        self.x = x[:, -1:]
        return self.x

    def choose(self, logits, pad_id, start_id):
        return self.x.argmax(dim=-1)


class SecondLikeliest(GreedyDecode):
    """The word with the second largest logit is chosen.

    topk gives the largest ones in their order. Which place has the first?
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        return logits.topk(2, dim=-1).indices[..., 1]


class WordBeforeTheLast(GreedyDecode):
    """The words are read at the position before the last.

    Which position predicts the word that is missing yet?
    """

    item = "greedy_words"

    def position(self, x):
        return x[:, -2:-1] if x.shape[1] > 1 else x


class CutsColumnsOfPadding(GreedyDecode):
    """Columns in which every row has padding are cut off, though the model has written it.

    Padding that the model writes is a word like any other. What else tells where the writing ended?
    """

    item = "greedy_words"

    def take(self, source, model, max_len):
        self.pad_id = model.pad_id
        return source

    def cut(self, target):
        return target[:, (target != self.pad_id).any(0)]


class EndIsCutOff(GreedyDecode):
    """The last column is cut off, whatever is in it.

    Which of the tokens does the docstring keep?
    """

    item = "greedy_words"

    def cut(self, target):
        return target[:, :-1]


class ReturnsInt32(GreedyDecode):
    """The tokens are returned as int32, not as int64.

    Which step changes the dtype?
    """

    item = "greedy_words"

    def give(self, target):
        return target.int()


class ReturnsAListOfRows(GreedyDecode):
    """A list of rows is returned, each a tensor, not one tensor of all.

    What can be done with a tensor that cannot be done with a list?
    """

    item = "greedy_words"

    def give(self, target):
        return list(target)


class ModeLostAtAnEarlyEnd(GreedyDecode):
    """When all rows have ended before max_len, the model is left in eval mode: the function is left
    there, and what puts the mode back stands after it.

    Which lines does a return inside of a loop leave out? What does `finally` do?
    """

    item = "greedy_care"

    def enter(self, model):
        self.ended_early = False
        return super().enter(model)

    def is_done(self, ended, before):
        self.ended_early = bool(ended.all())
        return self.ended_early

    def leave(self, model, was_training):
        if not self.ended_early:
            model.train(was_training)


class StopsWhenAllEndTogether(GreedyDecode):
    """It stops early only if all rows write end_id in the same step: rows that end one after the
    other are padded until they are max_len long.

    Which rows have ended: those whose last word is end_id, or those that ever wrote it?
    """

    item = "greedy_end"

    def end(self, ended, word, end_id, pad_id):
        self.together = bool(((word == end_id) & ~ended).all())
        return super().end(ended, word, end_id, pad_id)

    def is_done(self, ended, before):
        return bool(ended.any()) and getattr(self, "together", False)


class LooksForTheEndTooLate(GreedyDecode):
    """It stops one word late: once all rows have ended, a column of padding is still appended.

    Is it asked whether all have ended before a word is chosen, or after the next one?
    """

    item = "greedy_end"

    def is_done(self, ended, before):
        return bool(before.all())


class EvalModeAfterReading(GreedyDecode):
    """While the source is read, the encoder is not in eval mode yet: of a model that comes in train
    mode, dropout drops from the memory.

    Which is the first line that calls a part of the model, and which parts are in eval mode then?
    """

    item = "greedy_care"

    def enter(self, model):
        return model.training

    def read(self, model, source):
        memory = super().read(model, source)
        model.eval()
        return memory


class StartIsInt32(GreedyDecode):
    """The start is made as int32: so are the tokens where nothing is written, with max_len 1.

    Which dtype does the docstring ask for? What does cat make of two dtypes?
    """

    item = "greedy_words"

    def begin(self, source, start_id):
        return super().begin(source, start_id).int()


class SortedTwice(GreedyDecode):
    """Rows are sorted by the lengths of their sources, and in the end put into that order again,
    not back: of three and more, some get the words of others.

    The order says which row came to each place. Which numbers say to which place each row goes?
    """

    item = "greedy_words"

    def take(self, source, model, max_len):
        self.order = (source == model.pad_id).sum(dim=-1).argsort(stable=True)
        return source[self.order]

    def cut(self, target):
        return target[self.order]


class SortedTwiceFromTheShortest(SortedTwice):
    def take(self, source, model, max_len):
        self.order = (source != model.pad_id).sum(dim=-1).argsort(stable=True)
        return source[self.order]


class DecodesAsMuchAsItMayWrite(GreedyDecode):
    """All max_len columns are decoded at each step, those not yet written, too: a max_len beyond
    the model's own raises an error, though the words would fit.

    How many words are there when the first one is chosen? How many does the decoder have to see?
    """

    item = "greedy_end"

    def take(self, source, model, max_len):
        self.max_len, self.pad_id = max_len, model.pad_id
        return source

    def fed(self, target):
        self.last = target.shape[1] - 1
        rest = target.new_full((len(target), self.max_len - target.shape[1]), self.pad_id)
        return torch.cat([target, rest], dim=1)

    def position(self, x):
        return x[:, self.last : self.last + 1]


class SqueezesTheWords(GreedyDecode):
    """The next words lose all axes of size 1, that of a batch of a single row, too, and an error is
    raised.

    Which step squeezes an axis of size 1 away? A batch of one is a batch, too.
    """

    item = "greedy_words"

    def choose(self, logits, pad_id, start_id):
        return super().choose(logits, pad_id, start_id).squeeze()[:, None]
