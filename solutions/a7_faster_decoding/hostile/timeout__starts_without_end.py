# start_cache never returns.
# fails: cache_start
# %% solution="start_cache"
def start_cache(model, source):
    while True:
        model.encode(source)
