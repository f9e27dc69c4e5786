# A row that is the wrong way round, a scale in place, and exponentials that overflow.
# fails: hand_example, attention_weights, attention_mask, attention_tensors
# lines: hand_output = torch.tensor([[1.6, 2.4], [1.5, 2.5]])
# lines: q /= math.sqrt(d_k)
# lines: exps = torch.exp(scores)
# %% solution="hand_example"
# row 0: 1, 3, 6 -> sum 10
# row 1: 2, 1, 1 -> sum 4
hand_weights = torch.tensor([[0.1, 0.3, 0.6], [0.5, 0.25, 0.25]])
hand_output = torch.tensor([[1.6, 2.4], [1.5, 2.5]])

# %% solution="attention"
def scaled_dot_product_attention(q, k, v, mask=None):
    # step 1: get the size
    d_k = q.shape[-1]
    # step 2: scale
    q /= math.sqrt(d_k)
    # step 3: the scores
    k_turned = k.transpose(-1, -2)
    scores = q @ k_turned
    # step 4: e to the power of each
    exps = torch.exp(scores)
    # step 5: blocked ones have no voice
    if mask is not None:
        exps = exps * mask
    # step 6: divide by the sum of the row
    sums = exps.sum(dim=-1, keepdim=True)
    nobody = sums == 0
    sums = sums.masked_fill(nobody, 1.0)
    weights = exps / sums
    # step 7: mix
    output = weights @ v
    return output, weights
