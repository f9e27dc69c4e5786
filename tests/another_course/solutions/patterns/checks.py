"""Checks of patterns: pieces of a signal, and k-means among them."""

import pytest
import torch

from autograder.checking import Agree, Draw

N, C, D, T, K = 11, 3, 4, 13, 5  # all different, so that no two axes can be taken for each other

item = pytest.mark.item


@item("pieces", public=True, hint="Along which axis is the mean, and does it stay an axis?")
def test_pieces(agree: Agree, draw: Draw) -> None:
    """Each window has its own mean taken away."""
    agree("pieces", draw.normal(T), K)


@item("pieces", hint="What is left of a piece of one number?")
def test_pieces_at_the_ends(agree: Agree, draw: Draw) -> None:
    """Windows of width 1 and t are pieces, too."""
    agree("pieces", 5 + draw.normal(T), 1)
    agree("pieces", 5 + draw.normal(T), T)


@item("assign", public=True, hint="Along which axis do you look for the smallest?")
def test_assign(agree: Agree, draw: Draw) -> None:
    """Each point has the row of the nearest centre."""
    agree("assign", draw.normal(N, D), draw.normal(C, D))


@item("assign", hint="Is your distance the root of a sum of squares, or something like it?")
def test_assign_many(agree: Agree, draw: Draw) -> None:
    """Among many points and centres, too, each point has the row of the nearest."""
    agree("assign", draw.normal(90, 2), draw.normal(7, 2))


@item("update", public=True, hint="By which number do you divide each sum?")
def test_update(agree: Agree, draw: Draw) -> None:
    """Each centre is the mean of its points."""
    labels = torch.tensor([0, 2, 1, 1, 0, 1, 2, 1, 1, 0, 1])
    agree("update", draw.normal(N, D), labels, draw.normal(C, D))


@item("update", hint="Do you write into centers itself?")
def test_update_changes_nothing(agree: Agree, draw: Draw) -> None:
    """Points, labels and centres are the same afterwards."""
    agree.unchanged("update", draw.normal(N, D), torch.arange(N) % C, draw.normal(C, D))


@item("update_left_alone", public=True, hint="What is the mean of no numbers at all?")
def test_update_left_alone(agree: Agree, draw: Draw) -> None:
    """A centre without points stays where it was."""
    agree("update", draw.normal(N, D), 2 * (torch.arange(N) % 2), draw.normal(C, D))
    agree("update", draw.normal(2, D), torch.tensor([4, 1]), draw.normal(5, D))


def line(draw: Draw, n: int) -> torch.Tensor:
    """Points in a row: centres at its beginning have far to go."""
    return torch.stack([torch.arange(float(n), dtype=torch.float64), draw.normal(n)], dim=1)


@item("kmeans", public=True, hint="Which labels belong to the centres that you return?")
def test_kmeans(agree: Agree, draw: Draw) -> None:
    """The centres and labels are those after which nothing changes."""
    points = line(draw, 12)
    agree("kmeans", points, points[:C] + 0.1, outputs=("centers", "labels"))


@item("kmeans", hint="How many rounds do you go at most?")
def test_kmeans_many_rounds(agree: Agree, draw: Draw) -> None:
    """It goes on for as many rounds as are needed."""
    points = line(draw, 60)
    agree("kmeans", points, points[:C] + 0.1, outputs=("centers", "labels"))


@item("kmeans", hint="What happens in your loop to a centre without points?")
def test_kmeans_with_one_centre_too_many(agree: Agree, draw: Draw) -> None:
    """A centre that is far from all points stays where it is."""
    points = line(draw, 12)
    far = torch.tensor([[0.0, 0.0], [1.0, 0.0], [900.0, 900.0]], dtype=torch.float64)
    agree("kmeans", points, far, outputs=("centers", "labels"))
