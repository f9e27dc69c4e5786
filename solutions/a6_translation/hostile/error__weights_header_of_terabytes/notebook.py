# A header that says it is terabytes long.
# fails: translation_*
