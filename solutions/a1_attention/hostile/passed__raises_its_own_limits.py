# It raises its own limits.
# %%
import resource

got = []
for what in (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
    hard = resource.getrlimit(what)[1]
    for limit in (resource.RLIM_INFINITY, hard + 1):
        try:
            resource.setrlimit(what, (limit, limit))
        except (ValueError, OSError):
            continue
        got.append((what, limit))
if got:
    raise RuntimeError(f"LOOT: {got}")
