# The cache is the model itself.
# fails: cache_start
# %% solution="start_cache"
def start_cache(model, source):
    return model, model, model, model
