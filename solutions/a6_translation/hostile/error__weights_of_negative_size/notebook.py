# A tensor with a negative axis.
# fails: translation_*
