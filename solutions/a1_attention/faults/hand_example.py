"""The worked example, step by step, and what goes wrong in each step."""

import math


class HandExample:
    """The weights and the output of the printed example, worked out by hand."""

    of = "hand_weights", "hand_output"

    def keys(self):
        return example_k

    def root(self, d_k):
        return math.sqrt(d_k)

    def normalise(self, scores):
        return scores.softmax(-1)

    def mix(self, weights):
        return weights @ example_v

    def show(self, numbers):
        return numbers

    def _weights(self):
        keys = self.keys()
        scores = example_q @ keys.T / self.root(keys.shape[-1])  # (2, 3)
        return self.normalise(scores)

    def hand_weights(self):
        return self.show(self._weights())

    def hand_output(self):
        return self.show(self.mix(self._weights()))


class MinusOverlooked(HandExample):
    """A minus sign was overlooked: one number of the keys is negative.

    Go through the keys once more, number by number. What does one below 0 do to the score?
    """

    item = "hand_example"

    def keys(self):
        return example_k.abs()


class WithoutTheRoot(HandExample):
    """The dot products were not divided by the root of d_k before the exponentials.

    How large is d_k in the example, and what is its root?
    """

    item = "hand_example"

    def root(self, d_k):
        return 1.0


class DividedByFour(HandExample):
    """The dot products were divided by d_k, not by its root.

    How large is d_k in the example, and what is its root?
    """

    item = "hand_example"

    def root(self, d_k):
        return d_k


class DividedByTheRootOfThree(HandExample):
    """The dot products were divided by the root of 3, the number of keys.

    d_k is how many numbers one key has. Count them.
    """

    item = "hand_example"

    def root(self, d_k):
        return math.sqrt(3)


class NotNormalised(HandExample):
    """The weights are the exponentials themselves: each row should be divided by its sum.

    What should the weights of a query sum to?
    """

    item = "hand_example"

    def normalise(self, scores):
        return scores.exp()


class ScoresAsWeights(HandExample):
    """The weights are the scaled dot products: the softmax is missing.

    Equation 1 has one step between the scores and the values.
    """

    item = "hand_example"

    def normalise(self, scores):
        return scores


class ScoresInProportion(HandExample):
    """The scores were divided by their sum, without taking exponentials first.

    What does the softmax do to each score before it divides?
    """

    item = "hand_example"

    def normalise(self, scores):
        return scores / scores.sum(-1, keepdim=True)


class OverTheQueries(HandExample):
    """The weights sum to 1 in each column: the softmax ran over the queries.

    For whom must the weights sum to 1?
    """

    item = "hand_example"

    def normalise(self, scores):
        return scores.softmax(0)


class LargestKeyTakesAll(HandExample):
    """Each query took the value of its best key, instead of a mixture of all three.

    By what is each value multiplied before they are added up?
    """

    item = "hand_example"

    def mix(self, weights):
        return example_v[weights.argmax(-1)]


class PlainMean(HandExample):
    """The output is the plain mean of the values: the weights were not used.

    By what is each value multiplied before they are added up?
    """

    item = "hand_example"

    def mix(self, weights):
        return example_v.mean(0).expand(2, 2)


class RowsExchanged(HandExample):
    """The two queries are exchanged: the first row holds what belongs to the second query.

    Which row of q is query 0?
    """

    item = "hand_example"

    def show(self, numbers):
        return numbers.flip(0)
