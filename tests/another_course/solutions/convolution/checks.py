"""Checks of convolution: windows, the sliding pattern, the layer."""

import pytest

from autograder.checking import Agree, Draw

B, C, OUT, T, K = 2, 3, 4, 9, 5  # all different, so that no two axes can be taken for each other

item = pytest.mark.item


@item("windows", public=True, hint="Where does window i begin, and which numbers lie in it?")
def test_windows(agree: Agree, draw: Draw) -> None:
    """Window i begins at place i and holds k numbers in their order."""
    agree("windows", draw.normal(T), K)
    agree("windows", draw.normal(B, C, T), K)


@item("windows", hint="How many windows are there when k is 1, and how many when k is t?")
def test_windows_at_the_ends(agree: Agree, draw: Draw) -> None:
    """There are t windows of width 1, and one of width t."""
    agree("windows", draw.normal(B, T), 1)
    agree("windows", draw.normal(B, T), T)


@item("windows", hint="Do you write into x itself?")
def test_windows_leaves_x_alone(agree: Agree, draw: Draw) -> None:
    """The signal is the same afterwards."""
    agree.unchanged("windows", draw.normal(B, T), K)


@item("windows_too_wide", public=True, hint="What is t - k + 1 then?")
def test_windows_too_wide(agree: Agree, draw: Draw) -> None:
    """A window wider than the signal is refused with a ValueError."""
    agree.raises(ValueError, "windows", draw.normal(T), T + 1)
    agree.raises(ValueError, "windows", draw.normal(B, T), T + 3)


@item("correlate", public=True, hint="Which axes are added up, and which remain?")
def test_correlate(agree: Agree, draw: Draw) -> None:
    """Each pattern is multiplied with each window of all channels, and the products added up."""
    agree("correlate", draw.normal(B, C, T), draw.normal(OUT, C, K))


@item("correlate", hint="Does your code rely on more than one channel, pattern or place?")
def test_correlate_of_size_one(agree: Agree, draw: Draw) -> None:
    """One channel, one pattern and one place are enough."""
    agree("correlate", draw.normal(B, 1, T), draw.normal(OUT, 1, K))
    agree("correlate", draw.normal(1, C, K), draw.normal(1, C, K))


@item("correlate_gradients", public=True, hint="Is there a detach or a no_grad on the way?")
def test_correlate_gradients(agree: Agree, draw: Draw) -> None:
    """The gradients of x and of w are right."""
    agree(
        "correlate",
        draw.normal(B, C, T),
        draw.normal(OUT, C, K),
        cotangents=[draw.normal(B, OUT, T - K + 1)],
    )


@item("conv_parameters", public=True, hint="What makes a tensor a parameter of a module?")
def test_conv_parameters(agree: Agree) -> None:
    """The layer has the parameters weight and bias, of these shapes, and no others."""
    agree.parameters(agree.module("Conv", C, OUT, K))


@item("conv", public=True, hint="To which axis does the bias belong?")
def test_conv(agree: Agree, draw: Draw) -> None:
    """Without padding, the layer gives the sliding patterns plus a bias for each."""
    agree(agree.module("Conv", C, OUT, K), draw.normal(B, C, T))


@item("conv", hint="How many zeros stand before the signal, and how many behind it?")
def test_conv_padded(agree: Agree, draw: Draw) -> None:
    """With padding, so many zeros stand at each end of the signal."""
    layer = agree.module("Conv", C, OUT, K, 2)
    agree(layer, draw.normal(B, C, T), cotangents=[draw.normal(B, OUT, T)])
