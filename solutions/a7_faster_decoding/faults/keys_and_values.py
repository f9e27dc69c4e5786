"""Keys and values, step by step, and what goes wrong in each step."""

import torch


class KeysAndValues:
    """The keys and the values of x, split into heads."""

    of = "keys_and_values"
    # Of those about which projection is used, two may give what another two give.
    often = (
        *("NothingProjected", "QueriesForKeys", "HeadsBeforePositions", "HeadsInterleaved"),
        *("HeadsNotMoved", "KeysTransposed", "ValuesFirst", "KeysScaled"),
    )

    def keys_of(self, attention, x):
        return attention.k_proj(x)

    def values_of(self, attention, x):
        return attention.v_proj(x)

    def split(self, x, n_heads):
        return x.reshape(*x.shape[:2], n_heads, -1).transpose(1, 2)  # (batch, n_heads, t, d_k)

    def split_keys(self, x, n_heads):
        return self.split(x, n_heads)

    def split_values(self, x, n_heads):
        return self.split(x, n_heads)

    def give(self, keys, values):
        return keys, values

    def __call__(self, attention, x):
        keys = self.split_keys(self.keys_of(attention, x), attention.n_heads)
        values = self.split_values(self.values_of(attention, x), attention.n_heads)
        return self.give(keys, values)


class CutInEachHead(KeysAndValues):
    """Keys and values stand one behind the other, but are cut apart as if each head had its own two
    side by side.

    All keys come first, then all values. Which cut comes first, that into two or that into heads?
    """

    item = "keys_values"

    def give(self, keys, values):
        n_heads = keys.shape[1]
        both = torch.cat([each.transpose(1, 2).flatten(2) for each in (keys, values)], dim=-1)
        return both.unflatten(-1, (n_heads, -1)).transpose(1, 2).chunk(2, dim=-1)


class KeysBeforeTheProjection(KeysAndValues):
    """The keys are x itself: k_proj is not used.

    What does an attention do with its input before anything is compared?
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return x


class ValuesBeforeTheProjection(KeysAndValues):
    """The values are x itself: v_proj is not used.

    What does an attention do with its input before anything is mixed?
    """

    item = "keys_values"

    def values_of(self, attention, x):
        return x


class NothingProjected(KeysAndValues):
    """Keys and values are x itself: neither k_proj nor v_proj is used.

    What does an attention do with its input before anything is compared?
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return x

    def values_of(self, attention, x):
        return x


class QueriesForKeys(KeysAndValues):
    """The keys are made with q_proj: they are queries.

    Which of the three does a later position look for, and which looks?
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return attention.q_proj(x)


class KeysForValues(KeysAndValues):
    """The values are made with k_proj: they are the keys again.

    Which projection makes what is mixed in the end?
    """

    item = "keys_values"

    def values_of(self, attention, x):
        return attention.k_proj(x)


class ValuesOfTheKeys(KeysAndValues):
    """The values are made of the keys: v_proj gets what k_proj gives.

    Which tensor do both projections read?
    """

    item = "keys_values"

    def values_of(self, attention, x):
        return attention.v_proj(attention.k_proj(x))


class ValuesForKeys(KeysAndValues):
    """The keys are made with v_proj: they are the values.

    Which projection makes what a query is compared with?
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return attention.v_proj(x)


class ProjectedTwice(KeysAndValues):
    """Keys and values go through their projection twice.

    Is what is passed projected already, and by whom?
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return attention.k_proj(attention.k_proj(x))

    def values_of(self, attention, x):
        return attention.v_proj(attention.v_proj(x))


class HeadsBeforePositions(KeysAndValues):
    """The reshape goes straight to (batch, n_heads, t, d_k): it mixes positions and heads.

    In which order do the numbers lie in memory? A reshape leaves them in it.
    """

    item = "keys_values"

    def split(self, x, n_heads):
        batch, t, d_model = x.shape
        return x.reshape(batch, n_heads, t, d_model // n_heads)


class HeadsInterleaved(KeysAndValues):
    """Each head reads every n_heads-th column, not d_k columns side by side.

    Which columns does head 0 read, says the list of the parts?
    """

    item = "keys_values"

    def split(self, x, n_heads):
        return x.reshape(*x.shape[:2], -1, n_heads).permute(0, 3, 1, 2)


class HeadsNotMoved(KeysAndValues):
    """The axis of the heads stands behind that of the positions.

    Which shape does the docstring promise, and which two axes change places for it?
    """

    item = "keys_values"

    def split(self, x, n_heads):
        return x.reshape(*x.shape[:2], n_heads, -1)


class KeysBeforePositions(KeysAndValues):
    """The reshape goes straight to (batch, n_heads, t, d_k): of the keys, and not of the values.

    In which order do the numbers lie in memory? A reshape leaves them in it.
    """

    item = "keys_values"

    def split_keys(self, x, n_heads):
        return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


class ValuesBeforePositions(KeysAndValues):
    """The reshape goes straight to (batch, n_heads, t, d_k): of the values, and not of the keys.

    In which order do the numbers lie in memory? A reshape leaves them in it.
    """

    item = "keys_values"

    def split_values(self, x, n_heads):
        return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


class KeysInterleaved(KeysAndValues):
    """Each head gets every n_heads-th column of the keys, and its values side by side.

    Which columns does head 0 read, says the list of the parts?
    """

    item = "keys_values"

    def split_keys(self, x, n_heads):
        return x.reshape(*x.shape[:2], -1, n_heads).permute(0, 3, 1, 2)


class ValuesInterleaved(KeysAndValues):
    """Each head gets every n_heads-th column of the values, and its keys side by side.

    Which columns does head 0 read, says the list of the parts?
    """

    item = "keys_values"

    def split_values(self, x, n_heads):
        return x.reshape(*x.shape[:2], -1, n_heads).permute(0, 3, 1, 2)


class KeysNotMoved(KeysAndValues):
    """The keys' axis of the heads stands behind that of the positions; the values' does not.

    Which shape does the docstring promise, and which two axes change places for it?
    """

    item = "keys_values"

    def split_keys(self, x, n_heads):
        return x.reshape(*x.shape[:2], n_heads, -1)


class ValuesNotMoved(KeysAndValues):
    """The values' axis of the heads stands behind that of the positions; the keys' does not.

    Which shape does the docstring promise, and which two axes change places for it?
    """

    item = "keys_values"

    def split_values(self, x, n_heads):
        return x.reshape(*x.shape[:2], n_heads, -1)


class KeysTransposed(KeysAndValues):
    """The keys are returned transposed: d_k before the positions.

    The product with the queries wants them so. But what else happens to keys that are kept?
    """

    item = "keys_values"

    def give(self, keys, values):
        return keys.transpose(-2, -1), values


class ValuesFirst(KeysAndValues):
    """The values are returned first, and then the keys.

    In which order does the docstring name them?
    """

    item = "keys_values"

    def give(self, keys, values):
        return values, keys


class KeysScaled(KeysAndValues):
    """The keys are divided by the root of d_k.

    Where does the scale belong, and will it be there a second time?
    """

    item = "keys_values"

    def give(self, keys, values):
        return keys / keys.shape[-1] ** 0.5, values


class RoundedToFloat32(KeysAndValues):
    """Keys and values are rounded to float32.

    In which dtype does the model compute?
    """

    item = "keys_values"

    def give(self, keys, values):
        return keys.float(), values.float()


class LastPositionAlone(KeysAndValues):
    """Only the last position's keys and values are returned.

    The same function is asked about the whole memory. Which positions does x have?
    """

    item = "keys_values"

    def give(self, keys, values):
        return keys[:, :, -1:], values[:, :, -1:]


class BiasesLeftOut(KeysAndValues):
    """The matrices of k_proj and v_proj are used without their biases.

    A linear layer is x @ W.T + b. What does calling the layer do that its weight alone does not?
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return x @ attention.k_proj.weight.T

    def values_of(self, attention, x):
        return x @ attention.v_proj.weight.T


class KeysWithoutBias(KeysAndValues):
    """The bias of k_proj is not added: only its matrix is used.

    Is nn.Linear called, or taken apart? It has two things to add.
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return x @ attention.k_proj.weight.T


class ValuesWithoutBias(KeysAndValues):
    """The bias of v_proj is not added: only its matrix is used.

    Is nn.Linear called, or taken apart? It has two things to add.
    """

    item = "keys_values"

    def values_of(self, attention, x):
        return x @ attention.v_proj.weight.T


class ValuesWithTheKeysBias(KeysAndValues):
    """The values get the matrix of v_proj, but the bias of k_proj.

    A line was copied. Which of its names have to change? v_proj, called, has both of its own.
    """

    item = "keys_values"

    def values_of(self, attention, x):
        return x @ attention.v_proj.weight.T + attention.k_proj.bias


class KeysWithTheValuesBias(KeysAndValues):
    """The keys get the matrix of k_proj, but the bias of v_proj.

    A line was copied. Which of its names have to change? k_proj, called, has both of its own.
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        return x @ attention.k_proj.weight.T + attention.v_proj.bias


class ProjectionsOfTheFirstCall(KeysAndValues):
    """The parameters of k_proj and v_proj are put together at the first call and kept with the
    attention: those that are loaded since then are not used.

    What changes whenever an optimizer takes a step, and what has been made of it before?
    """

    item = "keys_values"

    def keys_of(self, attention, x):
        if not hasattr(attention, "first"):
            parts = attention.k_proj, attention.v_proj
            attention.first = [(each.weight.clone(), each.bias.clone()) for each in parts]
        weight, bias = attention.first[0]
        return x @ weight.T + bias

    def values_of(self, attention, x):
        weight, bias = attention.first[1]
        return x @ weight.T + bias
