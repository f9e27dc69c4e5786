# A loop without end, in an added cell: it costs only that cell.
# %%
while True:
    pass
