# A file of torch.save, which runs a program when it is loaded.
# fails: translation_*
