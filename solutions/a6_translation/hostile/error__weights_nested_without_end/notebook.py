# A header of brackets inside brackets.
# fails: translation_*
