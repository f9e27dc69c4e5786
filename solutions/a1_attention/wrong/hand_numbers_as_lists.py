# By hand, as lists instead of tensors.
# fails: hand_example
# %% solution="hand_example"
hand_weights = [[0.10, 0.30, 0.60], [0.50, 0.25, 0.25]]
hand_output = [[1.60, 2.40], [2.50, 1.50]]
