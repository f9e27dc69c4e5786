"""The padding mask, step by step, and what goes wrong in each step."""

import torch


class PaddingMask:
    """Tells which tokens are real."""

    of = "padding_mask"
    often = (
        *("TrueAtPads", "PadIdIsZero", "PadIdIsTheLeast", "NewAxesMissing", "OneNewAxis"),
        *("OnTheQueries", "BatchInTheMiddle", "ExpandedToAllQueries", "MaskOfFloats"),
        *("MaskOfInt32", "MaskOfIntegers", "MaskOnTheDefaultDevice", "ExpandedOverThreeAxes"),
    )

    def take(self, tokens):
        return tokens

    def find(self, tokens, pad_id):
        return tokens != pad_id

    def arrange(self, real):
        return real[:, None, None, :]  # (batch, 1, 1, t)

    def kind(self, mask):
        return mask

    def place(self, mask):
        return mask

    def __call__(self, tokens, pad_id=0):
        real = self.find(self.take(tokens), pad_id)
        return self.place(self.kind(self.arrange(real)))


class BlanksThePads(PaddingMask):
    """The tokens themselves are changed: pads are written over in the tensor that was passed.

    Whoever called goes on to use these tokens. Which step writes in place?
    """

    item = "padding_mask"

    def take(self, tokens):
        before = tokens.clone()
        tokens[tokens == 0] = -1
        return before


class OpenedWhereAllIsPadding(PaddingMask):
    """A sentence that is nothing but padding is opened: the mask is True at all of its pads.

    No key is left then, and what becomes of such a query is the attention's affair. What is True?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        real = super().find(tokens, pad_id)
        return real | ~real.any(dim=-1, keepdim=True)


class TrueAtPads(PaddingMask):
    """The mask is True at the pads, and False at real tokens: the other way round.

    True means "may attend". Should anybody attend to padding?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return tokens == pad_id


class PadIdIsZero(PaddingMask):
    """Padding is looked for as 0, whatever pad_id says.

    With another pad_id, 0 is a word like any other. Where is pad_id used?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return tokens != 0


class PadIdIsTheLeast(PaddingMask):
    """Only tokens above pad_id count as real; those below it are taken for padding.

    Ids are names, not sizes. Which comparison asks whether two of them are the same?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return tokens > pad_id


class NoPads(PaddingMask):
    """Nothing counts as padding: the mask is True everywhere.

    torch.ones of the right shape says nothing of the tokens. Where are they compared with pad_id?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return tokens == tokens


class EndsAtTheFirstPad(PaddingMask):
    """Everything behind the first pad of a sentence counts as padding, real tokens too.

    A pad blocks its own place. Does it say anything about those behind it?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return (tokens != pad_id).long().cumprod(-1).bool()


class PadsAtTheEndOnly(PaddingMask):
    """Only the pads behind the last real token are found; one in the middle counts as real.

    Is the length of a sentence counted, where each place should be looked at?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return (tokens != pad_id).flip(-1).long().cumsum(-1).bool().flip(-1)


class PadsCountedFirst(PaddingMask):
    """As many places at the front are real as the sentence has real tokens, wherever these stand.

    Counting tells how many are real, not which. Can each place be compared by itself?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        count = (tokens != pad_id).sum(-1, keepdim=True)
        return torch.arange(tokens.shape[-1], device=tokens.device) < count


class NoneWithoutPads(PaddingMask):
    """Where no token is a pad, None comes back in the place of a mask.

    Who combines it with another mask, or asks for its shape, is not told. What would be all True?
    """

    item = "padding_mask"

    def place(self, mask):
        return None if mask.all() else mask


class NewAxesMissing(PaddingMask):
    """The mask is (batch, t): the two axes of size 1 between them are missing.

    It has to broadcast to (batch, n_heads, t_q, t_k). How are shapes aligned for that?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real


class OneNewAxis(PaddingMask):
    """The mask is (batch, 1, t): there is one axis of size 1 where two should be.

    It has to broadcast to (batch, n_heads, t_q, t_k): one axis for the heads, one for the queries.
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[:, None, :]


class OnTheQueries(PaddingMask):
    """The mask is (batch, 1, t, 1): it blocks padded queries instead of padded keys.

    The last axis of the scores counts the keys. Where does t have to stand?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[:, None, :, None]


class BatchInTheMiddle(PaddingMask):
    """The mask is (1, 1, batch, t): the batch has ended up where the queries are counted.

    It has to broadcast to (batch, n_heads, t_q, t_k). Which axis comes first?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[None, None]


class ExpandedToAllQueries(PaddingMask):
    """The mask is (batch, 1, t, t): its row is repeated for every query.

    Broadcasting does that, for any number of queries. Which shape does the docstring ask for?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[:, None, None, :].expand(-1, -1, real.shape[-1], -1)


class BlocksPaddedQueriesToo(PaddingMask):
    """The mask is (batch, 1, t, t), and False wherever the query or the key is a pad.

    What a padded query receives is looked at by nobody. Which axis of the scores counts the keys?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[:, None, None, :] & real[:, None, :, None]


class ExpandedOverThreeAxes(PaddingMask):
    """The mask is (batch, t, t): its row is repeated for every query, without an axis for heads.

    Broadcasting repeats it for any number of queries. Which shape does the docstring ask for?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[:, None].expand(-1, real.shape[-1], -1)


class BlocksPaddedQueriesOverThreeAxes(PaddingMask):
    """The mask is (batch, t, t), and False wherever the query or the key is a pad.

    What a padded query receives is looked at by nobody. Which axes does the docstring ask for?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[:, None] & real[:, :, None]


class MaskOfFloats(PaddingMask):
    """The mask holds the numbers 0.0 and 1.0, not the truth values of torch.bool.

    A comparison is torch.bool by itself. Which step makes numbers of it?
    """

    item = "padding_mask"

    def kind(self, mask):
        return mask.float()


class MaskOfInt32(PaddingMask):
    """The mask holds the numbers 0 and 1 as torch.int32, as by int(), not truth values.

    On integers ~ gives -1 and -2, both of which count as true. Which step makes numbers of it?
    """

    item = "padding_mask"

    def kind(self, mask):
        return mask.int()


class MaskOfIntegers(PaddingMask):
    """The mask holds the whole numbers 0 and 1, as torch.int64, not the truth values of torch.bool.

    On integers ~ gives -1 and -2, both of which count as true. Which step makes numbers of it?
    """

    item = "padding_mask"

    def kind(self, mask):
        return mask.long()


class MaskOnTheDefaultDevice(PaddingMask):
    """The mask is on torch's default device, not on that of the tokens.

    Where does a tensor lie that is made anew without saying where, and where after cpu()?
    """

    item = "padding_mask"

    def place(self, mask):
        return mask.cpu()


class NewAxesAtTheEnd(PaddingMask):
    """The mask is (batch, t, 1, 1): the new axes stand behind the tokens, not before them.

    Shapes are aligned from the right. Which axis of the scores counts the keys?
    """

    item = "padding_mask"

    def arrange(self, real):
        return real[:, :, None, None]


class MaskOfBytes(PaddingMask):
    """The mask holds 0 and 1 as torch.uint8, not the truth values of torch.bool.

    For whole numbers ~ is something else than for truth values. What does a comparison give?
    """

    item = "padding_mask"

    def kind(self, mask):
        return mask.byte()


class AsAddedToScores(PaddingMask):
    """The mask holds 0 and -inf, to be added to the scores, not truth values.

    Which dtype does the docstring ask for?
    """

    item = "padding_mask"

    def kind(self, mask):
        return torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -torch.inf)


class AsALowNumber(PaddingMask):
    """The mask holds 0 and -1e9, to be added to the scores, not truth values.

    Which dtype does the docstring ask for?
    """

    item = "padding_mask"

    def kind(self, mask):
        return (~mask).float() * -1e9


class ComparesInBytes(PaddingMask):
    """Tokens are told from pad_id in 8 bits, which begin anew after so many: an id that is 256 more
    or less counts as padding.

    How far does torch.uint8 count, and how many words does a vocabulary have?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return (tokens - pad_id).to(torch.uint8) != 0


class ComparesInSixteenBits(PaddingMask):
    """Tokens are told from pad_id in 16 bits, which begin anew after so many: an id that is 65536
    more or less counts as padding.

    How far does torch.int16 count, and may a vocabulary have more words?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return (tokens - pad_id).to(torch.int16) != 0


class ComparesAboutAsLarge(PaddingMask):
    """Tokens count as padding where they are about as large as pad_id, as by isclose: near a large
    pad_id, others do, too.

    How much may two numbers differ for isclose? Which comparison allows nothing?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return ~torch.isclose(tokens, torch.full_like(tokens, pad_id))


class ComparesInFloat32(PaddingMask):
    """Tokens are told from pad_id in float32, which has no room for every large whole number: an
    id in the millions that is one more or less counts as padding.

    Which whole numbers can float32 hold? Need an id be anything but an integer?
    """

    item = "padding_mask"

    def find(self, tokens, pad_id):
        return tokens.float() != torch.tensor(pad_id).float().item()
