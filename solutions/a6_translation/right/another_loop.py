# Another training loop, which is not looked at: only the weights are.

# %% solution="train"
def train(model, training, validation, n_epochs=24, batch_size=64, warmup_steps=200, scale=0.4):
    raise RuntimeError("trained on another computer, in another way")
