# The weights of another model.
# fails: translation_*
