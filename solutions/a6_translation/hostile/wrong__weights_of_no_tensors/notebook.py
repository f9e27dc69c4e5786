# A file with a header and nothing in it.
# fails: translation_*
