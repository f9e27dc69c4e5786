# nn.Module's train and eval are replaced, and put back again: the layers are right.
# %%
import torch

for name in ("train", "eval", "state_dict"):
    old = getattr(torch.nn.Module, name)
    setattr(torch.nn.Module, name, lambda self, *args, _old=old, **kwargs: _old(self, *args, **kwargs))
torch.nn.modules.module.register_module_forward_hook(lambda *_: None)
