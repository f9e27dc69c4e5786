# A web page, saved under the name of the weights.
# fails: translation_*
