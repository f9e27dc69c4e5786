# Names that steer a terminal, close a page, and go on for ever.
# fails: translation_*
