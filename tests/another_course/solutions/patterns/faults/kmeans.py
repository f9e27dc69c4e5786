"""k-means, step by step, and what goes wrong in each step."""


class KMeans:
    """In turns, until nothing changes."""

    of = "kmeans"
    rounds = 1000

    def tell(self, centers, labels):
        return centers, labels

    def last(self, points, labels, centers):
        return centers

    def __call__(self, points, centers):
        labels = assign(points, centers)
        for _ in range(self.rounds):
            centers = update(points, labels, centers)
            again = assign(points, centers)
            if torch.equal(again, labels):
                break
            labels = again
        return self.tell(self.last(points, labels, centers), labels)


class OneRound(KMeans):
    """It stops after one round.

    Would another round change a label?
    """

    item = "kmeans"
    rounds = 1


class TwoRounds(KMeans):
    """It stops after two rounds.

    Who says that two are enough?
    """

    item = "kmeans"
    rounds = 2


class LabelsFromOne(KMeans):
    """The labels count from one, where rows count from zero.

    What does centers[labels] give?
    """

    item = "kmeans"

    def tell(self, centers, labels):
        return centers, labels + 1
