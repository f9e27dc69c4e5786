# By hand, with the columns of the output swapped.
# fails: hand_example
# %% solution="hand_example"
hand_weights = torch.tensor([[0.10, 0.30, 0.60], [0.50, 0.25, 0.25]])
hand_output = torch.tensor([[2.40, 1.60], [1.50, 2.50]])
