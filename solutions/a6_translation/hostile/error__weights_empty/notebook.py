# A file without a single byte.
# fails: translation_*
