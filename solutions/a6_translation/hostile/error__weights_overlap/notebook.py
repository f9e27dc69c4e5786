# Every tensor claims the same few bytes.
# fails: translation_*
