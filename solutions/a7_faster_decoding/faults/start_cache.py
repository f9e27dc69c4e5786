"""What is kept before the first step, step by step, and what goes wrong in each step."""

import torch


class StartCache:
    """Nothing of the target, all of the memory."""

    of = "start_cache"

    def encode(self, model, source):
        return model.encode(source)

    def read(self, model, source):
        return self.encode(model, source)

    def attention(self, layer):
        return layer.cross_attn

    def project(self, layer, memory):
        return keys_and_values(self.attention(layer), memory)

    def layers(self, model):
        return model.decoder.layers

    def stack(self, each):
        return torch.stack(each)

    def nothing(self, memory_keys):
        return memory_keys[..., :0, :]

    def give(self, nothing, memory_keys, memory_values):
        return nothing, nothing, memory_keys, memory_values

    def __call__(self, model, source):
        memory = self.read(model, source)
        pairs = [self.project(layer, memory) for layer in self.layers(model)]
        memory_keys, memory_values = (
            self.stack([pair[place] for pair in pairs]) for place in (0, 1)
        )
        return self.give(self.nothing(memory_keys), memory_keys, memory_values)


class ReadsPadding(StartCache):
    """The encoder reads the source without its mask: padding is a word like any other to it.

    The model has a method that hands the mask over. Which one is called?
    """

    item = "cache_start"

    def encode(self, model, source):
        return model.encoder(source)


class NotEncoded(StartCache):
    """The memory is the embedded source: the layers of the encoder are not asked.

    What does a decoder layer read, and which method of the model gives it?
    """

    item = "cache_start"

    def encode(self, model, source):
        return model.encoder.token_embedding(source)


class ReadsForEachLayer(StartCache):
    """The source is read anew for each layer.

    Every layer reads the same memory. How often does it have to be made?
    """

    item = "cache_start"

    def read(self, model, source):
        return model, source

    def project(self, layer, memory):
        model, source = memory
        return super().project(layer, model.encode(source))


class ReadsForKeysAndForValues(ReadsForEachLayer):
    def project(self, layer, memory):
        return super().project(layer, memory)[0], super().project(layer, memory)[1]


class SelfAttentionOfTheMemory(StartCache):
    """The memory's keys and values are made with the projections of the self-attention.

    Which of a layer's two attentions reads the memory?
    """

    item = "cache_start"

    def attention(self, layer):
        return layer.self_attn


class BiasesForgotten(StartCache):
    """The memory's keys and values are made with the weights of the projections, and without their
    biases.

    What does a linear layer do after the product?
    """

    item = "cache_start"

    def project(self, layer, memory):
        attention = self.attention(layer)
        products = memory @ attention.k_proj.weight.mT, memory @ attention.v_proj.weight.mT
        # (batch, n_heads, t_source, d_k)
        return [each.unflatten(-1, (attention.n_heads, -1)).transpose(1, 2) for each in products]


class FirstLayerForAll(StartCache):
    """Every layer gets the keys and values of the first one.

    Do the layers share their projections?
    """

    item = "cache_start"

    def layers(self, model):
        return [model.decoder.layers[0]] * len(model.decoder.layers)


class LastLayerAlone(StartCache):
    """Only the last layer has keys and values.

    How many layers will ask for theirs?
    """

    item = "cache_start"

    def layers(self, model):
        return model.decoder.layers[-1:]


class KeysForValues(StartCache):
    """The memory's keys stand in both places: its values are never used.

    keys_and_values gives two. Which one belongs where?
    """

    item = "cache_start"

    def project(self, layer, memory):
        keys, _ = super().project(layer, memory)
        return keys, keys


class ValuesForKeys(StartCache):
    """The memory's values stand in both places: its keys are never used.

    keys_and_values gives two. Which one belongs where?
    """

    item = "cache_start"

    def project(self, layer, memory):
        _, values = super().project(layer, memory)
        return values, values


class LastLayerForAll(StartCache):
    """Every layer gets the keys and values of the last one.

    Do the layers share their projections? A function made in a loop asks for `layer` when it is
    called: which one is it by then?
    """

    item = "cache_start"

    def layers(self, model):
        return [model.decoder.layers[-1]] * len(model.decoder.layers)


class LayersReversed(StartCache):
    """The layers stand in the reversed order.

    keys[i] are those of layer i. Which one was appended first?
    """

    item = "cache_start"

    def layers(self, model):
        return list(model.decoder.layers)[::-1]


class EncoderLayers(StartCache):
    """The keys and values are made with the self-attentions of the encoder's layers.

    Who reads the memory: the stack that made it?
    """

    item = "cache_start"

    def layers(self, model):
        return model.encoder.layers

    def attention(self, layer):
        return layer.self_attn


class ValuesFirst(StartCache):
    """The memory's values are returned before its keys.

    In which order does the docstring name the four?
    """

    item = "cache_start"

    def give(self, nothing, memory_keys, memory_values):
        return nothing, nothing, memory_values, memory_keys


class MemoryFirst(StartCache):
    """The memory's keys and values are returned before the empty ones.

    In which order does the docstring name the four?
    """

    item = "cache_start"

    def give(self, nothing, memory_keys, memory_values):
        return memory_keys, memory_values, nothing, nothing


class BatchFirst(StartCache):
    """The batch is the first axis, and the layers are the second.

    keys[i] are to be those of layer i. Along which axis are they stacked?
    """

    item = "cache_start"

    def stack(self, each):
        return torch.stack(each, dim=1)


class Concatenated(StartCache):
    """The layers stand behind each other in the axis of the batch: there is no axis of the layers.

    What is the difference between cat and stack?
    """

    item = "cache_start"

    def stack(self, each):
        return torch.cat(each)


class StartsWithZeros(StartCache):
    """The cache starts with a position of zeros.

    A key of zeros gets a weight, too. How many positions are there before the first token?
    """

    item = "cache_start"

    def nothing(self, memory_keys):
        return torch.zeros_like(memory_keys[..., :1, :])


class StartsWithTheMemory(StartCache):
    """The cache of the target starts with the memory's keys.

    What has been written before the first step?
    """

    item = "cache_start"

    def nothing(self, memory_keys):
        return memory_keys


class StartsWithAPlainTensor(StartCache):
    """What is empty has only one axis.

    With what shall it be concatenated, and which sizes must fit for that?
    """

    item = "cache_start"

    def nothing(self, memory_keys):
        return memory_keys.new_zeros(0)


class StartsInFloat32(StartCache):
    """What is empty is float32, whatever the model computes in.

    Which calls make a new tensor without being told a dtype?
    """

    item = "cache_start"

    def nothing(self, memory_keys):
        return memory_keys[..., :0, :].float()


class KeepsTheMemory(StartCache):
    """What was read is kept with the model, and serves the next source of the same shape, too.

    A model reads many sentences. How can it be told that this one is another?
    """

    item = "cache_start"

    def read(self, model, source):
        if getattr(model, "read_before", None) != source.shape:
            model.read_before, model.memory = source.shape, super().read(model, source)
        return model.memory


class KeysAndValuesInHalves(StartCache):
    """Keys and values stand in turns, layer by layer, but are cut in two halves: with two layers or
    more, keys are taken for values.

    In which order were they put there? Which slice takes every other one?
    """

    item = "cache_start"

    def give(self, nothing, memory_keys, memory_values):
        in_turns = torch.stack([memory_keys, memory_values], dim=1).flatten(0, 1)
        return super().give(nothing, *in_turns.chunk(2))


class SourceKnownByItsTensor(StartCache):
    """What was read is kept for the tensor of the source, and what was written into it since goes
    unnoticed.

    lru_cache knows a tensor by its identity. May other words stand in the same one?
    """

    item = "cache_start"

    def read(self, model, source):
        kept = vars(self).setdefault("known", {})
        return kept.setdefault(source, super().read(model, source))


class LastSourceKnownByItsTensor(StartCache):
    """What was made of the last source is kept with the model for that very tensor, and what was
    written into it since goes unnoticed.

    By what does `is` know a tensor? May other words stand in the same one?
    """

    item = "cache_start"

    def read(self, model, source):
        self.model, self.source = model, source
        return super().read(model, source)

    def give(self, nothing, memory_keys, memory_values):
        last = getattr(self.model, "last_made", None)
        if last is not None and last[0] is self.source:
            return last[1]
        cache = super().give(nothing, memory_keys, memory_values)
        self.model.last_made = self.source, cache
        return cache


class RemembersTheLastSource(StartCache):
    """What was made of the last source is kept with the model, and handed out again for the same
    words, also after other weights have been loaded.

    What are keys and values made of, other than of the words?
    """

    item = "cache_start"

    def read(self, model, source):
        self.model, self.source = model, source
        return super().read(model, source)

    def give(self, nothing, memory_keys, memory_values):
        last = getattr(self.model, "last_read", None)
        if last is not None and torch.equal(last[0], self.source):
            return last[1]
        cache = super().give(nothing, memory_keys, memory_values)
        self.model.last_read = self.source.clone(), cache
        return cache
