# The step of the decoder is not written yet.
# fails: step_output, step_masks, step_sizes
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    # YOUR CODE HERE
    raise NotImplementedError()
