# The header is whole, and the numbers break off.
# fails: translation_*
