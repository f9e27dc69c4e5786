# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [raw]
# Notes for you. Students get no raw cell: keep these, or delete them.
#
# This file is the notebook as text (jupytext's percent format; Jupyter can open it, too). A cell
# of code has a role, which stands behind its %%:
#
#   solution="NAME"   students write it. What stands between BEGIN and END SOLUTION is the
#                     reference that grading compares with; they get the rest, as the stub.
#   check="ITEM"      tries the public checks of an item. Its points stand in course.yml.
#   given="NAME"      runs as it is, before what comes after it, when they work and when we grade.
#   figure="NAME"     draws something; grading leaves it out.
#   manual="ID"       is graded by people, in nbgrader. A text may have this role, too; its points
#                     stand under `manual` in course.yml.
#
# With active="ipynb" a cell runs in students' notebooks alone, so that here it is a comment.

# %% [markdown]
# # Assignment title
#
# Which café is nearest, which of a thousand photographs is most like this one, which word was
# meant by *exapmle*? All of these are one question: *how far is it from each of these points to
# each of those?* You answer it once, for any number of points with any number of coordinates, and
# without a loop.
#
# - Where a cell says `# YOUR CODE HERE`, delete the line `raise NotImplementedError()` and write
#   your own code. The other cells are locked, but you may add cells of your own.
# - **Check cells** try a sample of what the grader tries. The text above each says everything
#   that its item is about. If one does not end, interrupt the kernel (■): it says in which of your
#   lines it was.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import torch

# %% active="ipynb" given="checks"
# from checks import check

# %% [markdown]
# ## Every pair at once
#
# The rows of `x` are $n$ points and the rows of `y` are $m$ points, all with $d$ coordinates. The
# distance of two of them is the length of their difference (Pythagoras, for any $d$):
#
# $$D_{ij} = \sqrt{\sum_k (x_{ik} - y_{jk})^2}$$
#
# Three letters stand on the right and two on the left: one axis is added up, and two remain.
# Which tensor has all three axes, and how does broadcasting make it of `x` and `y`?


# %% solution="distances"
def distances(x, y):
    """How far each point of x is from each point of y.

    x (n, d), y (m, d): float32 or float64, a point in each row.
    Returns (n, m): at [i, j] the Euclidean distance of x[i] and y[j].
    """
    ### BEGIN SOLUTION
    differences = x[:, None] - y  # (n, m, d)
    return torch.sqrt(differences.square().sum(dim=-1))
    ### END SOLUTION


# %% [markdown]
# ### The distances
#
# `distances(x, y)` has the shape `(n, m)` and the right values, also where all points lie close
# together and far from the origin: equal ones are at a distance of 0 there, too. (Whoever
# multiplies out the square subtracts two huge numbers that are nearly the same.)

# %% active="ipynb" check="distances"
# check("distances")

# %% [raw]
# How to go on: write your own story over this one, and rename or delete what belongs to it here, in
# checks.py, faults/, right/, wrong/ and course.yml. After each step, `autograder release
# assignment_name` says what does not fit yet.
#
# Another item: its entry under `items` in course.yml, a check or more with its id in checks.py,
# and here a text that says everything it may cost points for, with a check cell below it. Where
# its title there is the heading of the text here, the release puts its points behind.
#
# Another function or class: a cell with solution="..."; what calls it comes after it. Parts of
# earlier assignments lie, right ones, in solutions/given.py, which all assignments share: a given
# cell has `from given import area`, and students get just what is imported, as given.py.
#
# A figure to look at: ![what it shows](figures/triangle.svg) in a text, and the file in figures/
# beside this one; it is handed out along. One that their own code draws: a cell with figure="..."
# and active="ipynb", in which `@drawing`, from checks, above the function that draws says what is
# to be mended first while the stub is still there, or wrong.
#
# Other files, such as a table: beside this file, and listed under `files` in course.yml. What
# students hand in besides the notebook stands under `handed_in`; a check asks for `handed_in`,
# the folder where it lies.
#
# A part that people grade: a cell with manual="..." holds your model answer, which students do not
# get; its title and points stand under `manual` in course.yml, its rubric in the text above it.

# %% [markdown]
# **To think about.** A distance of 0 has no slope: what is the gradient of the root there, and
# when would you meet it in training?
