# The weights were forgotten.
# fails: translation_*
