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

# %% [markdown]
# # Translation
#
# - **You build** what makes a network learn: the loss, the learning rate, the training loop. Then
#   you plot what it looks at, and write a report.
# - **You need** your Transformer (or the one that is given), logarithms, and the idea of a
#   gradient. Training takes about a minute on a laptop; no GPU.
# - **Afterwards you can** train a Transformer, tell from its loss whether something is wrong, and
#   read a picture of its attention.
#
# *Ochenta y dos mil quinientos siete.* If you know no Spanish, this is a line of music. By the
# end of this notebook a network that you trained will answer: *eighty two thousand five hundred
# and seven*. Nobody will have told it what a number is. It sees five thousand pairs of
# sentences, and from then on it gets numbers right that it never saw. That is the moment for
# which people train networks at all, and with what you have built it takes about a minute.
#
# A Transformer that only stands there is a function with 175 thousand knobs in random positions.
# To turn them you need four things, and they are the four sections of code: **data**, a **loss**
# that says how bad an answer is, a **learning rate** that says how far to turn, and a **loop**.
# After that you look into the model with a plot of your own, and write down what you understood.
#
# ## How this notebook works
#
# - Where a cell says `# YOUR CODE HERE`, delete the line `raise NotImplementedError()` and write
#   your own code. Names and arguments are fixed, what happens inside is yours. The other cells
#   are locked, but you may add cells of your own and import more in them: Python's own modules,
#   torch, numpy, matplotlib and einops are there when you are graded.
# - **Check cells** try a sample of what the grader tries. The text above each says everything
#   that its item is about: the hidden checks ask the same questions with other numbers and sizes.
#   If one does not end, interrupt the kernel (■): it says in which of your lines it was.
# - **From scratch**: `softmax`, `log_softmax`, `logsumexp`, `gather` and their kind are welcome,
#   also `F.nll_loss` and `F.kl_div`, and so is `torch.optim.Adam`. Not allowed, since they would do
#   the exercise for you: `F.cross_entropy` and `nn.CrossEntropyLoss`.
# - **Hints** are folded, in steps. Open one, try again, then open the next.
# - The checks run your loss mostly in **float64**, and allow next to no error (10⁻¹⁰). What you
#   make yourself has to have the dtype of the logits, and their device: `torch.full(...)`,
#   `torch.zeros(...)` and `F.one_hot(...).float()` are float32 unless you say `dtype=logits.dtype`.
#   You need no GPU; the grader pretends that there is one, and looks where your loss lies.
# - **You hand in two files**: this notebook, and `weights.safetensors`, which section 5 writes
#   beside it. The training is not run again when you are graded.
# - Sections 6 and 7 are graded by people, who read what you wrote.
# - **Beyond**, at the end, is for those who want to know more. It is worth no points.
# - Before you hand in, restart the kernel, run all cells from the top, and save.

# %% given="setup"
import time

import torch
from given import Transformer, greedy_decode

# %% active="ipynb" given="checks"
# from checks import check, drawing

# %% active="ipynb" given="plots"
# from pathlib import Path
#
# import matplotlib.pyplot as plt

# %% [markdown]
# **Your own Transformer.** If the notebook `a5_transformer.ipynb` lies beside this one, or in
# `../a5_transformer/`, the next cell looks whether your `Transformer` computes what it should, and
# then that is what you are going to train. If there is none, or something in it is not right yet,
# you train the one that comes with this notebook: nothing that is graded here depends on it.

# %% active="ipynb" figure="own"
# from own import own_transformer
#
# Transformer = own_transformer(Transformer)

# %% [markdown]
# ## 1. The data
#
# The file `numbers.tsv` has a number in each line: in digits, in Spanish words and in English
# words. (Hyphens and commas are left out, so that words are what stands between spaces.) The
# first 5000 numbers are for training. (Small and round ones are among them more often than chance
# would have it: they are rare, and told in another way.) The last 500 are for **validation**: the
# model never learns from them, so that they can tell us what it does with something new.

# %% active="ipynb" figure="numbers"
# lines = Path("numbers.tsv").read_text(encoding="utf-8").splitlines()
# pairs = [tuple(line.split("\t")[1:]) for line in lines]  # (Spanish, English)
# training, validation = pairs[:5000], pairs[5000:]
# for spanish, english in training[:5]:
#     print(f"{spanish:>60}   {english}")

# %% [markdown]
# A network reads ids, not words. A **vocabulary** is a list of words, and the place of a word in
# it is its id. Three tokens come first that nobody ever says: `<pad>` fills short sentences up,
# `<start>` is what the decoder reads before there is a first word, and `<end>` is how it says
# that it is done. The vocabulary and the sizes of the model are fixed, for the grader builds the
# same model around your weights.

# %% given="vocabulary"
PAD, START, END = 0, 1, 2
SPANISH = """
<pad> <start> <end> cero un uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece
catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiún veintiuno veintidós
veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta cuarenta
cincuenta sesenta setenta ochenta noventa y cien ciento doscientos trescientos cuatrocientos
quinientos seiscientos setecientos ochocientos novecientos mil
""".split()
ENGLISH = """
<pad> <start> <end> zero one two three four five six seven eight nine ten eleven twelve thirteen
fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
ninety hundred thousand and
""".split()
MAX_LEN = 12  # no number takes more than 8 words, <start> and <end>
SIZES = {
    "source_vocab_size": len(SPANISH),
    "target_vocab_size": len(ENGLISH),
    "d_model": 64,
    "n_heads": 4,
    "d_ff": 128,
    "n_layers": 2,
    "max_len": MAX_LEN,
    "dropout": 0.0,  # so few weights learn no sentence by heart
    "pad_id": PAD,
}


def new_model():
    """The untrained model."""
    return Transformer(**SIZES)


def to_ids(sentences, vocabulary):
    """Sentences to ids (batch, t): <start>, the words, <end>, and padding up to the longest."""
    ids = {word: id for id, word in enumerate(vocabulary)}
    rows = [[START, *(ids[word] for word in each.split()), END] for each in sentences]
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def to_sentences(tokens, vocabulary):
    """Ids (batch, t) back to sentences: the words up to <end>."""
    sentences = []
    for row in tokens.tolist():
        words = row[1 : row.index(END)] if END in row else row[1:]
        sentences.append(" ".join(vocabulary[id] for id in words))
    return sentences


def translate(model, sentences):
    """What the model makes of Spanish sentences, word by word, always the likeliest."""
    tokens = greedy_decode(model, to_ids(sentences, SPANISH), START, END, MAX_LEN)
    return to_sentences(tokens, ENGLISH)


def exact_match(model, pairs):
    """The share of pairs (Spanish, English) that the model translates without any mistake."""
    spanish, english = zip(*pairs, strict=True)
    found = translate(model, spanish)
    return sum(one == other for one, other in zip(found, english, strict=True)) / len(pairs)


# %% active="ipynb" figure="example"
# example = to_ids([english for _, english in training[:3]], ENGLISH)
# print(example)
# print(to_sentences(example, ENGLISH))

# %% [markdown]
# **To think about.** Spanish writes 21 as one word, English as two; 21,000 is *veintiún mil* but
# 21 alone is *veintiuno*. So a table from word to word will not do. What must the model look at
# to know what to write for *y*?
#
# ## 2. The loss: how wrong, and about what?
#
# For each position the model gives a logit for every word of the vocabulary, and a softmax makes
# probabilities $p$ of them. The **cross-entropy** is the surprise at the right word $y$, which is
# $-\log p_y$: nothing for a model that was sure, much for one that thought it impossible.
#
# A model that minimises it is never sure enough: it pushes the right logit up for ever, long after
# its answers are right. **Label smoothing** ([Szegedy et al.
# 2015](https://arxiv.org/abs/1512.00567); section 5.4 of [the
# paper](https://arxiv.org/abs/1706.03762)) puts an end to that. Instead of all for the right word,
# it asks for a little modesty: of the smoothing $\varepsilon$, every one of the $V$ words gets the
# same share, the right one too.
#
# $$\text{loss} = -(1-\varepsilon) \log p_y - \frac{\varepsilon}{V} \sum_{w=1}^{V} \log p_w$$
#
# And what about padding? It is no word, nobody wants it predicted. The loss is the **mean over
# the real tokens**, those of the target that are not padding: of all sentences together, not of
# each sentence first.


# %% solution="smoothed_loss"
def smoothed_loss(logits, target, pad_id=0, smoothing=0.1):
    """Cross-entropy with label smoothing, the mean over the real tokens (section 5.4).

    logits (batch, t, vocab_size): float32 or float64. target (batch, t): int64 ids; where it is
    pad_id, there is nothing to predict. smoothing: what is divided equally among all words of
    the vocabulary, from 0 to 1.

    Returns a tensor without axes, of the dtype and on the device of logits. Works under autograd,
    and changes none of its inputs in place. At least one token is real.
    """
    ### BEGIN SOLUTION
    real = target != pad_id
    log_p = logits[real].log_softmax(dim=-1)  # (n_real, vocab_size)
    right = log_p.gather(-1, target[real].unsqueeze(-1)).squeeze(-1)
    return -((1 - smoothing) * right + smoothing * log_p.mean(dim=-1)).mean()
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: the logarithms</summary>
#
# Begin with the logarithms of the probabilities, all at once:
# [`log_softmax`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html).
# (Why not `log` of `softmax`? The item *Large logits* tells.)
#
# </details>
#
# <details><summary>Hint 2: the right word</summary>
#
# For each token you want one number of its row, the one at the right word:
# [`gather`](https://docs.pytorch.org/docs/stable/generated/torch.gather.html) takes it, when the
# index has an axis of size 1 at the end. The second sum of the formula is a mean over the row,
# times the smoothing.
#
# </details>
#
# <details><summary>Hint 3: the padding</summary>
#
# Take the real tokens out *first*, with a truth value for each, and everything after that is a
# plain mean. (Or set the others to 0 and divide by the number of real tokens. What does a 0 times
# infinity give?)
#
# </details>
#
# ### The loss
#
# Without any padding, `smoothed_loss` returns a tensor of shape `()` with the right value: for
# `smoothing` 0, 0.1 (which it is when nothing is said), 0.3 and 1, for vocabularies of two words
# and more, for a single sentence, for a single token and for a thousand. It is asked in float64,
# and all its digits count: what is float32 inside, as a table made with `torch.full` may be, is too
# coarse.

# %% active="ipynb" check="loss_value"
# check("loss_value")

# %% [markdown]
# ### Padding does not count
#
# The loss is the mean over the real tokens of the whole batch, with padding at the end, in the
# middle and at the start, with a sentence that is nothing but padding, whatever the smoothing is.
# `pad_id` may be any id, and 0 is a real word then. Whatever finite logits stand where the target
# is padding, the loss is the same. A token that is predicted with certainty, so that its own loss
# is exactly 0, is a real one all the same.

# %% active="ipynb" check="loss_padding"
# check("loss_padding")

# %% [markdown]
# ### Large logits
#
# Logits of ten thousand and more, of either sign, give the right loss, not infinity and not NaN, in
# float32 and in float64. (The logarithm of a probability that has become 0 is where it happens.)

# %% active="ipynb" check="loss_large_logits"
# check("loss_large_logits")

# %% [markdown]
# ### The gradient of the loss
#
# The gradient of the logits is right, with and without smoothing and padding. Where the target is
# padding, it is exactly 0.

# %% active="ipynb" check="loss_gradients"
# check("loss_gradients")

# %% [markdown]
# ### Types, layouts and inputs left alone
#
# From float32 logits comes a float32 loss, from float64 ones a float64 loss, on the device of the
# inputs. Inputs whose memory is not contiguous give the same result. After the call, `logits` and
# `target` hold what they held before.

# %% active="ipynb" check="loss_tensors"
# check("loss_tensors")

# %% [markdown]
# What does smoothing do? Take a vocabulary of 34 words, of which 33 have the logit 0, and let the
# logit of the right one grow:

# %% active="ipynb" figure="smoothing"
# @drawing
# def draw_smoothing():
#     right = torch.linspace(0, 14, 57)
#     logits = torch.zeros(len(right), 1, 1, 34)
#     logits[..., 5] = right[:, None, None]
#     target = torch.full((1, 1), 5)
#     losses = {
#         smoothing: [smoothed_loss(each, target, smoothing=smoothing) for each in logits]
#         for smoothing in (0.0, 0.1, 0.3)
#     }
#     _, axes = plt.subplots(figsize=(8, 3), layout="constrained")
#     for smoothing, values in losses.items():
#         values = torch.stack(values)
#         (line,) = axes.plot(right, values, label=f"smoothing {smoothing}")
#         best = values.argmin()
#         axes.plot(right[best], values[best], "o", color=line.get_color())
#     axes.set(xlabel="logit of the right word", ylabel="loss", ylim=0)
#     axes.set_title("Your loss; a dot where it is smallest")
#     axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
#     plt.show()
#
#
# draw_smoothing()

# %% [markdown]
# **To think about.** With smoothing the loss never gets to 0. How small can it get here, and why
# is that no flaw? (You will meet the number again in section 5.)
#
# ## 3. The learning rate: slowly at first
#
# At the start nothing in the network makes sense yet, and the first gradients are as wild as they
# are wrong. Whoever follows them with large steps ends up somewhere from where there is no way
# back. So the paper (section 5.3) begins with tiny steps, lets them grow evenly during the first
# `warmup_steps`, and makes them smaller and smaller afterwards:
#
# $$\text{rate} = d_\text{model}^{-0.5} \cdot
#   \min\left(\text{step}^{-0.5},\; \text{step} \cdot \text{warmup\_steps}^{-1.5}\right)$$
#
# The two halves meet at `step = warmup_steps`: there the rate is largest. Steps are counted from 1.


# %% solution="warmup_rate"
def warmup_rate(step, d_model, warmup_steps):
    """The learning rate of a step (Vaswani et al. 2017, section 5.3).

    step: counted from 1. d_model: the size of the model's vectors. warmup_steps: at least 1, the
    step with the largest rate. Returns one number.
    """
    ### BEGIN SOLUTION
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: in Python</summary>
#
# One line, the formula as it stands, with `**` for powers and Python's own `min`.
#
# </details>
#
# ### The learning rate
#
# `warmup_rate` returns the right number: at step 1, during the warm-up, at its last step, right
# after it and long after it, for several sizes of `d_model` and several `warmup_steps`, also for a
# warm-up of a single step, and whatever it was called with before.

# %% active="ipynb" check="warmup_rate"
# check("warmup_rate")

# %% active="ipynb" figure="rate"
# @drawing
# def draw_rate():
#     steps = range(1, 1601)
#     rates = {w: [warmup_rate(step, 64, w) for step in steps] for w in (100, 200, 400, 800)}
#     _, axes = plt.subplots(figsize=(8, 3), layout="constrained")
#     for warmup_steps, values in rates.items():
#         axes.plot(steps, values, label=f"{warmup_steps} steps of warm-up")
#     axes.set(xlabel="step", ylabel="rate", ylim=0, title="Your learning rate")
#     axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
#     plt.show()
#
#
# draw_rate()

# %% [markdown]
# **To think about.** After the warm-up all four curves are one. What does a longer warm-up change,
# then?
#
# ## 4. The loop
#
# Now teach it. A decoder that is to say *eighty two thousand* must know at every place what has
# been said before. While it learns, we do not let it read its own mistakes: it reads the right
# sentence, whatever it would have said itself. This is called **teacher forcing**, and it is one
# line of code, in which it is easy to be off by one:
#
# ![The row of what the decoder reads is the target without its last token; the row of what it is
# to predict is the target without its first one, so that below each token stands the one that
# follows it](figures/a6_teacher_forcing.svg)
#
# The decoder reads the target without its last token and predicts the target without its first.
# All places of a sentence are learnt at once. Nobody cheats, thanks to your causal mask: without
# it the answer would stand there to be copied, the loss would fall to its floor in no time, and
# the model would be worth nothing.
#
# One step of training is then: forward, loss, gradients, set the rate, turn the knobs. The rate
# of the paper is for vectors of 512 and for batches some fifty times ours; our loop multiplies it
# by `scale`. The knobs are turned by
# [`torch.optim.Adam`](https://docs.pytorch.org/docs/stable/generated/torch.optim.Adam.html).
#
# While you wait, a line tells how far you are. It is given here: make one with
# `progress = Progress(n_steps)`, and call `progress.show(step, loss=..., exact_match=...)`, with
# whatever numbers you like, as often as you like.


# %% given="progress"
class Progress:
    """A line that says how far something is, written over again and again."""

    def __init__(self, total):
        self.total = total
        self._started = self._shown = time.perf_counter()
        self._line = None

    def show(self, done, **figures):
        """Show that `done` of the steps are done, and what there is to tell about them."""
        now = time.perf_counter()
        if self._line and done < self.total and now - self._shown < 0.2:
            return  # nobody reads faster
        filled, seconds = 25 * done // self.total, round(now - self._started)
        told = "".join(f"  {name} {value:.3f}" for name, value in figures.items())
        bar = f"{'█' * filled}{'░' * (25 - filled)} {done}/{self.total}{told}  {seconds} s"
        line = {"text/plain": bar}
        if self._line:
            self._line.update(line, raw=True)
        else:
            from IPython.display import display

            self._line = display(line, raw=True, display_id=True)
        self._shown = now


ENOUGH = 1.0  # every number of the validation set


# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    """Train the model in place, until it is good enough or the epochs are over.

    training, validation: lists of pairs (Spanish, English). In every epoch each pair of training
    comes once, in an order that is drawn anew, batch_size of them at a time. Each step minimises
    smoothed_loss of one batch, under teacher forcing, with torch.optim.Adam, its betas and eps as
    they come, at the rate scale * warmup_rate(step, SIZES["d_model"], warmup_steps); steps are
    counted from 1, through all epochs.
    After every epoch exact_match is measured on validation; once it is ENOUGH, training ends. A
    Progress tells how it is going.

    Returns a list with the pair (mean loss, exact match) of each epoch, as plain numbers.
    """
    ### BEGIN SOLUTION
    source = to_ids([spanish for spanish, _ in training], SPANISH)
    target = to_ids([english for _, english in training], ENGLISH)
    optimizer = torch.optim.Adam(model.parameters())
    n_batches = -(-len(training) // batch_size)
    progress, history, step, matches = Progress(n_epochs * n_batches), [], 0, 0.0
    for _ in range(n_epochs):
        model.train()
        total = 0.0
        for batch in torch.randperm(len(training)).split(batch_size):
            step += 1
            for group in optimizer.param_groups:
                group["lr"] = scale * warmup_rate(step, SIZES["d_model"], warmup_steps)
            logits = model(source[batch], target[batch, :-1])
            loss = smoothed_loss(logits, target[batch, 1:], PAD)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            progress.show(step, loss=loss.item(), exact_match=matches)
        model.eval()
        matches = exact_match(model, validation)
        history.append((total / n_batches, matches))
        progress.show(step, loss=total / n_batches, exact_match=matches)
        if matches >= ENOUGH:
            break
    return history
    ### END SOLUTION


# %% [markdown]
# <details><summary>Hint 1: before the loops</summary>
#
# Turn all sentences into ids at once, and make the optimizer. How many batches has an epoch, when
# the last one may be smaller?
#
# </details>
#
# <details><summary>Hint 2: an epoch</summary>
#
# [`randperm`](https://docs.pytorch.org/docs/stable/generated/torch.randperm.html) draws an order,
# [`split`](https://docs.pytorch.org/docs/stable/generated/torch.split.html) cuts it into batches.
# Is the model in train mode, also after `exact_match` has been measured?
#
# </details>
#
# <details><summary>Hint 3: a step</summary>
#
# Count it. Set the rate: an optimizer keeps it in `group["lr"]`, for each `group` of its
# `param_groups`. Then logits, loss, old gradients away (`zero_grad`), `backward`,
# and a step of the optimizer.
#
# </details>
#
# <details><summary>Hint 4: what is read, what is predicted</summary>
#
# The decoder reads the target without its last column; the loss compares with the target without
# its first one. Both have the same shape. And the loss must know which id is padding.
#
# </details>
#
# <details><summary>Hint 5: the end of an epoch</summary>
#
# Plain numbers go into the list: `item()` takes one out of a tensor. Measure `exact_match` with the
# model in eval mode; is it good enough?
#
# </details>
#
# **The first steps.** Before you wait a minute, try it for seconds. The next cell gives your
# `train` one batch of eight numbers, four times, with your own loss and learning rate. The loss
# must fall at each step. If it stays, the gradient never arrives or no step is made; if it rises,
# look at the rate. With the Transformer that comes with this notebook, a right loop writes 3.66,
# 3.39, 2.97 and 2.58, or very nearly so. Another first number: what is read, or what is compared?
# Another second one: the rate. Another third one: the old gradients. (Your own Transformer begins
# with other numbers. This cell earns nothing, for the grader runs no training.)

# %% active="ipynb" figure="first_steps"
# def try_first_steps():
#     few = [
#         ("siete", "seven"),
#         ("veintiuno", "twenty one"),
#         ("sesenta y seis", "sixty six"),
#         ("ciento dos", "one hundred and two"),
#         ("mil cien", "one thousand one hundred"),
#         ("veintiún mil", "twenty one thousand"),
#         ("setecientos trece", "seven hundred and thirteen"),
#         ("noventa y nueve mil uno", "ninety nine thousand and one"),
#     ]
#     torch.manual_seed(0)
#     try:
#         history = train(new_model(), few, few, n_epochs=4, batch_size=len(few), warmup_steps=20)
#         losses = [loss for loss, _ in history]
#     except Exception as error:
#         print(f"Nothing to see yet: the cells above have to run first ({error!r}).")
#         return
#     falls = len(losses) == 4 and all(b < a for a, b in zip(losses, losses[1:], strict=False))
#     print("the loss of one batch, step by step:", *(f"{each:.3f}" for each in losses))
#     print("It falls: go on." if falls else "It must fall at each of four steps: look again.")
#
#
# try_first_steps()

# %% [markdown]
# **To think about.** An epoch's last batch is smaller than the others. Does the mean over its real
# tokens make its sentences count more or less than those of the other batches?
#
# ## 5. Training
#
# This takes about a minute. When it is finished, most numbers of the validation set should come
# out without a mistake. If the loss does not fall below 1 within the first three epochs, stop it
# (the square in the toolbar) and look at section 4 again; if it falls to its floor while the
# exact match stays at 0, look at what the decoder reads. If it ends below 99 %, which bad luck can
# bring about, train once more in a cell of your own, with another seed.

# %% active="ipynb" figure="training"
# torch.set_num_threads(1)  # so small a model gains nothing from more
# torch.manual_seed(0)
# model, history = new_model(), []
#
#
# @drawing
# def train_model():
#     history.extend(train(model, training, validation))
#     print(f"exact match on numbers it never saw: {exact_match(model, validation):.1%}")
#
#
# train_model()

# %% active="ipynb" figure="history"
# def draw_history():
#     if not history:
#         print("Nothing to draw yet: first train the model.")
#         return
#     epochs = range(1, len(history) + 1)
#     losses, matches = zip(*history, strict=True)
#     _, (left, right) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
#     left.plot(epochs, losses, "o-")
#     left.set(xlabel="epoch", ylabel="loss", ylim=0, title="training loss")
#     right.plot(epochs, matches, "o-")
#     right.set(xlabel="epoch", ylabel="share", ylim=(0, 1.02))
#     right.set_title("validation numbers without a mistake")
#     plt.show()
#
#
# draw_history()

# %% [markdown]
# Ask it something. In the next cell are numbers with which people have trouble too; put your own
# in a cell below.

# %% active="ipynb" figure="questions"
# for question in ["veintiuno", "veintiún mil", "cien mil", "mil cien", "noventa y nueve mil uno"]:
#     print(f"{question:>30}   {translate(model, [question])[0]}")

# %% [markdown]
# Now save the weights: a file of names, shapes and numbers, and of nothing else. (Other formats
# can hold programs, which is why nobody should load a stranger's `.pt` file, and why the grader
# does not.)

# %% active="ipynb" figure="saving"
# from safetensors.torch import save_file
#
# if history:
#     save_file(model.state_dict(), "weights.safetensors")
#     print(f"weights.safetensors: {Path('weights.safetensors').stat().st_size:,} bytes")

# %% [markdown]
# ### Most numbers
#
# `weights.safetensors` lies beside the notebook and has the weights of a model of the sizes above,
# all finite, in float32, under their names. Loaded into a right Transformer, they translate at
# least 80 % of the numbers it is asked, from 0 to 99,999, without any mistake. None of these
# numbers is in `numbers.tsv`.

# %% active="ipynb" check="translation_most"
# check("translation_most")

# %% [markdown]
# ### Nearly all numbers
#
# The same, and at least 99 % of them.

# %% active="ipynb" check="translation_nearly_all"
# check("translation_nearly_all")

# %% [markdown]
# **To think about.** *Cien mil* is larger than every number that it ever saw. What does your model
# make of it, and what does that say about what it has learnt?
#
# ## 6. What does it look at?
#
# The weights of the cross-attention say, for every English word, which Spanish words the decoder
# listened to when it chose it. After a forward pass, `model.decoder.layers[i].cross_attn.weights`
# has the shape `(batch, n_heads, t, t_source)`.
#
# ### The cross-attention of one number
#
# Write `plot_attention`, and show it for a number that makes something visible.
#
# - 1 point: the weights are those of your trained model, for one number that it translates
#   itself, and every row and column bears its word. (The row of a word is the step in which it was
#   *chosen*.)
# - 1 point: all heads of at least one layer are there, and one can read the figure without the
#   code.
# - 1 point: a comment of a few sentences, in a text cell right below the figure. What does a head
#   look for, and where does an English word depend on more than one Spanish word?

# %% active="ipynb" manual="attention_plot"
# @torch.no_grad()
# def plot_attention(model, spanish):
#     """Draw the cross-attention of the last layer, a panel for each head, for one sentence."""
#     ### BEGIN SOLUTION
#     source = to_ids([spanish], SPANISH)
#     tokens = greedy_decode(model, source, START, END, MAX_LEN)
#     model(source, tokens[:, :-1])  # the last token is read by nobody
#     weights = model.decoder.layers[-1].cross_attn.weights[0]  # (n_heads, t, t_source)
#     read = [SPANISH[id] for id in source[0]]
#     chosen = [ENGLISH[id] for id in tokens[0, 1:]]
#     size = (3.1 * len(weights), 3.8)
#     figure, panels = plt.subplots(
#         1, len(weights), figsize=size, layout="constrained", sharey=True
#     )
#     for head, (axes, grid) in enumerate(zip(panels, weights, strict=True)):
#         image = axes.imshow(grid, cmap="Blues", vmin=0, vmax=1)
#         axes.set_xticks(range(len(read)), read, rotation=90)
#         axes.set_yticks(range(len(chosen)), chosen)
#         axes.set(title=f"head {head}", xlabel="Spanish word listened to")
#     panels[0].set_ylabel("English word chosen")
#     figure.colorbar(image, ax=panels, label="weight", shrink=0.6)
#     plt.show()
#     ### END SOLUTION
#
#
# plot_attention(model, "ochenta y dos mil quinientos siete")

# %% [markdown]
# ## 7. The report
#
# You have built a Transformer from nothing. Tell us about it in three short texts: write for
# somebody who was in the course and has not seen your code. Half a page each is plenty; a small
# sketch or table may say more. They are graded by hand.
#
# ### The report, the architecture
#
# One point for the way of a sentence through the network, with the shape
# of the tensor at each station, from ids to logits; one for what each part is there for, said so
# that one could notice if it were missing.

# %% [markdown] manual="report_architecture"
# Ids (batch, t) become vectors (batch, t, d_model), get their place added, and go through two
# encoder layers, each attention and feed-forward with a residual and a norm; the shape stays. The
# decoder does the same to the target, with a causal self-attention, and asks the memory in
# between. The output layer gives (batch, t, 34) logits. Without the positions, *dos mil* and
# *mil dos* would be the same; without residuals, gradients fade; without the feed-forward, a
# layer could only mix.

# %% [markdown]
# ### The report, the masks
#
# One point for which masks there are, where each is used, and with what shape;
# one for what would happen, in training and afterwards, if one of them were left out, and how you
# would find out.

# %% [markdown] manual="report_masks"
# The source's padding mask (batch, 1, 1, t_source) in the encoder and in the cross-attention; in
# the decoder the target's padding mask and the causal mask together, (batch, 1, t, t). Without
# the causal mask the training loss falls to its floor, and greedy decoding gives nonsense: change
# a later token and see whether earlier logits move. Without the source mask a sentence is
# translated differently when a longer one is in its batch.

# %% [markdown]
# ### The report, code and design
#
# One point for a decision in your code that could have been made in
# another way, and the reason why you made it so; one for an error that you made, and how you
# found it; one for your code itself, which we read: are names, shapes and comments such that a
# stranger can follow?

# %% [markdown] manual="report_design"
# For example: only real tokens are taken into the loss, so that no value at a padded place can
# reach it or its gradient, instead of multiplying by a mask, which lets NaN through. The error:
# the decoder read the whole target, the loss was fine, the exact match 0; found by printing what
# it reads above what it is to predict.

# %% [markdown]
# ## Beyond
#
# *For those who want more. It is worth no points, and nobody looks at it: use cells of your own,
# and hand in the weights of section 5.*
#
# - **One table for two jobs.** The last layer has a row for each English word, and so has the
#   decoder's embedding. One may be the other ([Press and Wolf
#   2016](https://arxiv.org/abs/1608.05859); section 3.4 of the paper): 2176 knobs fewer. Does it
#   learn as fast?
#
#   ```python
#   torch.manual_seed(0)
#   tied = new_model()
#   table = tied.decoder.token_embedding.embedding.weight
#   torch.nn.init.normal_(table, std=SIZES["d_model"] ** -0.5)
#   tied.output.weight = table
#   print(train(tied, training, validation))
#   ```
#
# - **One thing less.** Train without label smoothing, without the warm-up (a constant rate), or
#   without the causal mask, and compare the two curves. Write down first what you expect.
# - **Beam search.** If you wrote one in the last assignment: how many numbers of the validation set
#   does it translate in another way than `greedy_decode`, and which of the two is right?
#
# ## What comes next
#
# Nothing that you could not build yourself. Larger models have more layers, longer sentences,
# vocabularies of pieces of words and a great deal more data; the ones that talk leave the encoder
# out. But if you open one, you will find your own names in it. Well done.
