# torch is asked to do the exercise.
# fails: correlate, correlate_gradients, conv_parameters, conv

# %% solution="correlate"
def correlate(x, w):
    return nn.functional.conv1d(x, w)
