"""One position through a decoder layer, step by step, and what goes wrong in each step."""

import torch


class LayerStep:
    """The new position through the layer, and what is kept of it."""

    of = "layer_step"
    often = (
        *("CacheNotAppended", "AppendedInFront", "CrossMaskDropped", "TargetMaskDropped"),
        *("AttendsToOthersOnly", "NormBefore"),
    )

    def make(self, layer, x):
        return keys_and_values(layer.self_attn, x)

    def join(self, kept, new):
        return torch.cat([kept, new], dim=2)

    def join_keys(self, kept, new):
        return self.join(kept, new)

    def join_values(self, kept, new):
        return self.join(kept, new)

    def blank(self, values, target_mask):
        return values

    def own_mask(self, target_mask, memory_mask):
        return target_mask

    def other_mask(self, target_mask, memory_mask):
        return memory_mask

    def listen(self, layer, x, keys, values, mask, kept):
        return attend(layer.self_attn, x, keys, values, mask)

    def read(self, layer, x, memory_keys, memory_values, mask):
        return attend(layer.cross_attn, x, memory_keys, memory_values, mask)

    def stream_self(self, x):
        return x

    def stream_cross(self, x):
        return x

    def stream_network(self, x):
        return x

    def around(self, norm, x, y):
        return norm(x + y)

    def around_self(self, norm, x, y):
        return self.around(norm, x, y)

    def around_cross(self, norm, x, y):
        return self.around(norm, x, y)

    def around_network(self, norm, x, y):
        return self.around(norm, x, y)

    def norms(self, layer):
        return layer.norm1, layer.norm2, layer.norm3

    def think(self, layer, norm, x):
        return self.around_network(norm, self.stream_network(x), layer.feed_forward(x))

    def keep(self, joined, kept, new):
        return joined

    def give(self, x, keys, values):
        return x, keys, values

    def __call__(
        self,
        layer,
        x,
        keys,
        values,
        memory_keys,
        memory_values,
        target_mask=None,
        memory_mask=None,
    ):
        new = self.make(layer, x)
        all_keys, all_values = self.join_keys(keys, new[0]), self.join_values(values, new[1])
        all_values = self.blank(all_values, target_mask)
        norm1, norm2, norm3 = self.norms(layer)
        own, other = (
            self.own_mask(target_mask, memory_mask),
            self.other_mask(target_mask, memory_mask),
        )
        heard = self.listen(layer, x, all_keys, all_values, own, (keys, values))
        x = self.around_self(norm1, self.stream_self(x), heard)
        read = self.read(layer, x, memory_keys, memory_values, other)
        x = self.around_cross(norm2, self.stream_cross(x), read)
        x = self.think(layer, norm3, x)
        return self.give(
            x, self.keep(all_keys, keys, new[0]), self.keep(all_values, values, new[1])
        )


# What is kept


class OutputKept(LayerStep):
    """The key and value that are kept are those of the layer's output, not of what came in.

    x has many values, one after the other. Of which of them did the others make their keys?
    """

    item = "layer_cache"

    def make(self, layer, x):
        self.layer = layer
        return super().make(layer, x)

    def give(self, x, keys, values):
        new = super().make(self.layer, x)
        kept = (
            torch.cat([a[:, :, :-1], b], dim=2) for a, b in zip((keys, values), new, strict=True)
        )
        return x, *kept


class CacheNotAppended(LayerStep):
    """The new position's key and value take the place of those that are kept: it hears only itself.

    How many positions does it attend to, and how many does the next one need?
    """

    item = "layer_cache"

    def join(self, kept, new):
        return new

    def own_mask(self, target_mask, memory_mask):
        return None if target_mask is None else target_mask[..., -1:]


class LastOverwritten(LayerStep):
    """The new position overwrites the last one that is kept.

    Which place is the first free one?
    """

    item = "layer_cache"

    def join(self, kept, new):
        return torch.cat([kept[:, :, :-1], new], dim=2)

    def own_mask(self, target_mask, memory_mask):
        cut = target_mask is not None and target_mask.shape[-1] > 1
        return target_mask[..., 1:] if cut else target_mask


class AppendedInFront(LayerStep):
    """The new position stands in front of those that are kept.

    In which order does the docstring want them? The mask speaks of them in the same order.
    """

    item = "layer_cache"

    def join(self, kept, new):
        return torch.cat([new, kept], dim=2)


class KeyAppendedInFront(LayerStep):
    """The new key stands in front of those that are kept, and the new value behind them.

    In which order does the docstring want them? A key and its value have one place.
    """

    item = "layer_cache"

    def join_keys(self, kept, new):
        return torch.cat([new, kept], dim=2)


class ValueAppendedInFront(LayerStep):
    """The new value stands in front of those that are kept, and the new key behind them.

    In which order does the docstring want them? A key and its value have one place.
    """

    item = "layer_cache"

    def join_values(self, kept, new):
        return torch.cat([new, kept], dim=2)


class KeyForTheValue(LayerStep):
    """The new key is appended to the values, too: the new value is never used.

    keys_and_values gives two. Which one is appended to which?
    """

    item = "layer_cache"

    def make(self, layer, x):
        key, _ = super().make(layer, x)
        return key, key


class KeepsTheOld(LayerStep):
    """The keys and values that were passed are returned, without the new position.

    Where is the new key after the step, and who will look for it in the next?
    """

    item = "layer_cache"

    def keep(self, joined, kept, new):
        return kept


class KeepsTheNewAlone(LayerStep):
    """Only the new position's key and value are returned.

    What will the next step attend to, if that is all it gets?
    """

    item = "layer_cache"

    def keep(self, joined, kept, new):
        return new


class KeepsItTwice(LayerStep):
    """The new position is appended twice: before the attention, and once more when it is kept.

    How many positions are there to be after t + 1 tokens?
    """

    item = "layer_cache"

    def keep(self, joined, kept, new):
        return torch.cat([joined, new], dim=2)


class BlockedValuesBlanked(LayerStep):
    """The values that the mask blocks are set to 0, and so they are kept.

    A blocked key has a weight of 0 already. Whose values are they, and who gets them next?
    """

    item = "layer_cache"

    def blank(self, values, target_mask):
        return values if target_mask is None else values * target_mask.mT


class KeepsQueries(LayerStep):
    """Queries are kept in the place of keys.

    Who is asked about a position later on: its query, or its key?
    """

    item = "layer_cache"

    def make(self, layer, x):
        keys, values = keys_and_values(layer.self_attn, x)
        queries = layer.self_attn.q_proj(x).reshape(len(x), 1, keys.shape[1], -1).transpose(1, 2)
        return queries, values


class KeepsWhatCameOut(LayerStep):
    """The new key and value are made with the projections of the cross-attention.

    Two attentions are in a layer. Which one listens to the target?
    """

    item = "layer_cache"

    def make(self, layer, x):
        return keys_and_values(layer.cross_attn, x)


class ValuesFirst(LayerStep):
    """What is kept is returned in another order: values before keys.

    In which order does the docstring name them?
    """

    item = "layer_cache"

    def give(self, x, keys, values):
        return x, values, keys


class ReturnsXAlone(LayerStep):
    """Only x is returned.

    What does the next step need, besides?
    """

    item = "layer_cache"

    def give(self, x, keys, values):
        return x


# The attentions


class AttendsToOthersOnly(LayerStep):
    """The new position attends to those before it, but not to itself.

    Which squares of the diagonal does a causal mask leave open?
    """

    item = "layer_output"

    def listen(self, layer, x, keys, values, mask, kept):
        mask = None if mask is None else mask[..., :-1]
        return attend(layer.self_attn, x, *kept, mask)


class AttendsBeforeItIsKept(AttendsToOthersOnly):
    def listen(self, layer, x, keys, values, mask, kept):
        return attend(layer.self_attn, x, *kept, mask)


class AttendsToItselfOnly(LayerStep):
    """The new position attends to itself alone, though the others are kept.

    What are they kept for?
    """

    item = "layer_output"

    def listen(self, layer, x, keys, values, mask, kept):
        mask = None if mask is None else mask[..., -1:]
        return attend(layer.self_attn, x, keys[:, :, -1:], values[:, :, -1:], mask)


class SelfAttentionReadsTheMemory(LayerStep):
    """The cross-attention is asked with the projections of the self-attention.

    Which attention did start_cache take the memory's keys from?
    """

    item = "layer_output"

    def read(self, layer, x, memory_keys, memory_values, mask):
        return attend(layer.self_attn, x, memory_keys, memory_values, mask)


class CrossAttentionListens(LayerStep):
    """The self-attention is asked with the projections of the cross-attention.

    Which of the two attentions made the keys that are kept?
    """

    item = "layer_output"

    def listen(self, layer, x, keys, values, mask, kept):
        return attend(layer.cross_attn, x, keys, values, mask)


class NoCrossAttention(LayerStep):
    """The memory is not read.

    How many parts does a decoder layer have?
    """

    item = "layer_output"

    def read(self, layer, x, memory_keys, memory_values, mask):
        return torch.zeros_like(x)


class MemoryExchanged(LayerStep):
    """The memory's keys and values are exchanged.

    Which of the two is compared with the query?
    """

    item = "layer_output"

    def read(self, layer, x, memory_keys, memory_values, mask):
        return attend(layer.cross_attn, x, memory_values, memory_keys, mask)


# Around the parts


class NothingAdded(LayerStep):
    """What goes into a part is not added to what comes out.

    What does the layer norm: the part's result, or a sum?
    """

    item = "layer_output"

    def around(self, norm, x, y):
        return norm(y)


class SelfAttentionNotAdded(LayerStep):
    """What goes into the self-attention is not added to what comes out, as it is elsewhere.

    Three parts are in the layer, and each has a sum around it. What does the first norm norm?
    """

    item = "layer_output"

    def stream_self(self, x):
        return torch.zeros_like(x)


class CrossAttentionNotAdded(LayerStep):
    """What goes into the cross-attention is not added to what comes out, as it is elsewhere.

    Three parts are in the layer, and each has a sum around it. What does the second norm norm?
    """

    item = "layer_output"

    def stream_cross(self, x):
        return torch.zeros_like(x)


class FeedForwardNotAdded(LayerStep):
    """What goes into the feed-forward network is not added to what comes out, as it is elsewhere.

    Three parts are in the layer, and each has a sum around it. What does the third norm norm?
    """

    item = "layer_output"

    def stream_network(self, x):
        return torch.zeros_like(x)


class NoNorms(LayerStep):
    """The norms are left out.

    Three of them are in the layer. Where do they stand?
    """

    item = "layer_output"

    def around(self, norm, x, y):
        return x + y


class NormBefore(LayerStep):
    """Each part's result is normed before x is added.

    What does the layer norm: the part's result, or the sum?
    """

    item = "layer_output"

    def around(self, norm, x, y):
        return x + norm(y)


class SelfAttentionNormedBefore(LayerStep):
    """The result of the self-attention is normed before x is added, as it is not elsewhere.

    Three parts are in the layer, and each has a sum around it. What does the first norm norm?
    """

    item = "layer_output"

    def around_self(self, norm, x, y):
        return x + norm(y)


class SelfAttentionNotNormed(LayerStep):
    """The sum around the self-attention is not normed, as it is elsewhere.

    Three norms are in the layer. Where does the first one stand?
    """

    item = "layer_output"

    def around_self(self, norm, x, y):
        return x + y


class CrossAttentionNormedBefore(LayerStep):
    """The result of the cross-attention is normed before x is added, as it is not elsewhere.

    Three parts are in the layer, and each has a sum around it. What does the second norm norm?
    """

    item = "layer_output"

    def around_cross(self, norm, x, y):
        return x + norm(y)


class CrossAttentionNotNormed(LayerStep):
    """The sum around the cross-attention is not normed, as it is elsewhere.

    Three norms are in the layer. Where does the second one stand?
    """

    item = "layer_output"

    def around_cross(self, norm, x, y):
        return x + y


class FeedForwardNormedBefore(LayerStep):
    """The result of the feed-forward network is normed before x is added, as it is not elsewhere.

    Three parts are in the layer, and each has a sum around it. What does the third norm norm?
    """

    item = "layer_output"

    def around_network(self, norm, x, y):
        return x + norm(y)


class FeedForwardNotNormed(LayerStep):
    """The sum around the feed-forward network is not normed, as it is elsewhere.

    Three norms are in the layer. Where does the third one stand?
    """

    item = "layer_output"

    def around_network(self, norm, x, y):
        return x + y


class OneNormForAll(LayerStep):
    """norm1 is used three times.

    Each norm has weights of its own. Which belongs to which part?
    """

    item = "layer_output"

    def norms(self, layer):
        return layer.norm1, layer.norm1, layer.norm1


class FirstNormTwice(LayerStep):
    """norm1 is used behind cross-attention, too, where norm2 belongs.

    Each norm has weights of its own. Which belongs to which part?
    """

    item = "layer_output"

    def norms(self, layer):
        return layer.norm1, layer.norm1, layer.norm3


class SecondNormTwice(LayerStep):
    """norm2 is used behind the feed-forward network, too, where norm3 belongs.

    Each norm has weights of its own. Which belongs to which part?
    """

    item = "layer_output"

    def norms(self, layer):
        return layer.norm1, layer.norm2, layer.norm2


class NormsExchanged(LayerStep):
    """norm2 and norm3 are exchanged.

    In which order do the parts stand, and their norms?
    """

    item = "layer_output"

    def norms(self, layer):
        return layer.norm1, layer.norm3, layer.norm2


class NoFeedForward(LayerStep):
    """The feed-forward network is left out, and its norm with it.

    How many parts does a decoder layer have?
    """

    item = "layer_output"

    def think(self, layer, norm, x):
        return x


# The masks


class TargetMaskDropped(LayerStep):
    """The target's mask does not get into the self-attention.

    There is no causal mask any more. Which one is left?
    """

    item = "layer_masks"

    def own_mask(self, target_mask, memory_mask):
        return None


class CrossMaskDropped(LayerStep):
    """The memory's mask does not get into the cross-attention.

    The memory has a row for each token of padding, too. Who blocks it?
    """

    item = "layer_masks"

    def other_mask(self, target_mask, memory_mask):
        return None


class BothMasksDropped(LayerStep):
    """Neither mask gets into an attention.

    Both are passed. Who needs them?
    """

    item = "layer_masks"

    def own_mask(self, target_mask, memory_mask):
        return None

    def other_mask(self, target_mask, memory_mask):
        return None


class MasksExchanged(LayerStep):
    """The two masks are exchanged.

    Which keys does each of them speak of, and how many are there?
    """

    item = "layer_masks"

    def own_mask(self, target_mask, memory_mask):
        return memory_mask

    def other_mask(self, target_mask, memory_mask):
        return target_mask


class NewPositionAlwaysHeard(LayerStep):
    """The new position is open to itself, whatever its mask says.

    What if the new token is padding?
    """

    item = "layer_masks"

    def own_mask(self, target_mask, memory_mask):
        if target_mask is None:
            return None
        return torch.cat([target_mask[..., :-1], torch.ones_like(target_mask[..., -1:])], dim=-1)


class TargetMaskOnePlaceOn(LayerStep):
    """The target's mask is cut one place too late: what it says of a key is said of the next one.

    To which key does the mask's first place belong?
    """

    item = "layer_masks"

    def own_mask(self, target_mask, memory_mask):
        return None if target_mask is None else target_mask.roll(1, dims=-1)


class OneMaskAtMost(LayerStep):
    """Where there is a target_mask, the memory_mask is not looked at.

    Both may be passed. Does one question exclude the other?
    """

    item = "layer_masks"

    def other_mask(self, target_mask, memory_mask):
        return memory_mask if target_mask is None else None


class MasksOnlyTogether(LayerStep):
    """A mask that is passed alone is dropped: masks are used only where both are passed.

    Each belongs to an attention of its own. Must one wait for the other?
    """

    item = "layer_masks"

    def own_mask(self, target_mask, memory_mask):
        return None if memory_mask is None else target_mask

    def other_mask(self, target_mask, memory_mask):
        return None if target_mask is None else memory_mask


class MemoryMaskWaitsForTheOther(LayerStep):
    """A memory_mask that is passed alone is dropped: it is used only beside a target_mask.

    Each mask belongs to an attention of its own. Must this one wait for the other?
    """

    item = "layer_masks"

    def other_mask(self, target_mask, memory_mask):
        return None if target_mask is None else memory_mask


class PreNorm(LayerStep):
    """The norms stand in front of the parts, over what these read, and not over the sums.

    That is pre-norm, as in many later models. In which order does the layer itself have it?
    """

    item = "layer_output"

    def make(self, layer, x):
        return super().make(layer, layer.norm1(x))

    def listen(self, layer, x, keys, values, mask, kept):
        return super().listen(layer, layer.norm1(x), keys, values, mask, kept)

    def read(self, layer, x, memory_keys, memory_values, mask):
        return super().read(layer, layer.norm2(x), memory_keys, memory_values, mask)

    def around(self, norm, x, y):
        return x + y

    def think(self, layer, norm, x):
        return x + layer.feed_forward(norm(x))


class WritesIntoTheCache(LayerStep):
    """The longer keys and values are written into the tensors that were passed: whoever passed them
    finds one position more in them.

    Which of your lines make a new tensor, and which change one that is there?
    """

    item = "layer_cache"

    def join(self, kept, new):
        kept.data = torch.cat([kept, new], dim=2)
        return kept


# What is added to


class CrossAttentionAddedToTheInput(LayerStep):
    """What cross-attention says is added to the x that came in, not to what came after norm1.

    The stream goes on from frame to frame. What was heard in the first frame: is it still there?
    """

    item = "layer_output"

    def stream_self(self, x):
        self.first = x
        return x

    def stream_cross(self, x):
        return self.first


class NetworkAddedToTheInput(LayerStep):
    """What feed_forward says is added to the x that came in, not to what came after norm2.

    The stream goes on from frame to frame. What was heard in the first two: is it still there?
    """

    item = "layer_output"

    def stream_self(self, x):
        self.first = x
        return x

    def stream_network(self, x):
        return self.first


class AllAddedToTheInput(LayerStep):
    """What each sublayer says is added to the x that came in, not to what the one before has made.

    The stream goes on from frame to frame. Which x does each of the three additions see?
    """

    item = "layer_output"

    def stream_self(self, x):
        self.first = x
        return x

    def stream_cross(self, x):
        return self.first

    def stream_network(self, x):
        return self.first
