# Computes in numpy and comes back to the CPU: no gradients, and exponentials as they are.
# fails: attention_weights, attention_mask, attention_blocked_rows, attention_gradients, attention_tensors
# %% solution="attention"
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None):
    # I know numpy better than torch, so convert first and convert back at the end
    qn = q.detach().cpu().numpy()
    kn = k.detach().cpu().numpy()
    vn = v.detach().cpu().numpy()

    d_k = qn.shape[-1]
    scores = np.matmul(qn, np.swapaxes(kn, -1, -2)) / d_k ** 0.5

    e = np.exp(scores)
    if mask is not None:
        e = e * mask.cpu().numpy()
    total = e.sum(axis=-1, keepdims=True)
    total[total == 0] = 1  # nobody to listen to
    w = e / total

    out = np.matmul(w, vn)
    return torch.from_numpy(out), torch.from_numpy(w)
