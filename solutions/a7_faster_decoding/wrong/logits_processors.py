# Object-oriented, in the manner of the Hugging Face generate() code, logits processors included.
# fails: attend_mask, cache_start, step_masks, step_sizes, cached_words, cached_care
# lines: attn_weights = attn_weights - 100.0 * (~mask).to(attn_weights.dtype)
# lines: encoder_outputs = model.encoder(source)
# lines: attention_mask = padding_mask(target)
# lines: self.processors = [SuppressTokens(self.pad_token_id)]
# lines: model.train()
# %% solution="attend"
def attend(attention, hidden_states, keys, values, mask=None):
    bsz, q_len, embed_dim = hidden_states.size()
    head_dim = embed_dim // attention.n_heads
    query_states = attention.q_proj(hidden_states) * head_dim**-0.5
    query_states = query_states.view(bsz, q_len, attention.n_heads, head_dim).transpose(1, 2)
    attn_weights = torch.matmul(query_states, keys.transpose(2, 3))
    if mask is not None:
        attn_weights = attn_weights - 100.0 * (~mask).to(attn_weights.dtype)
    attn_weights = torch.nn.functional.softmax(attn_weights, dim=-1)
    attn_output = torch.matmul(attn_weights, values)
    attn_output = attn_output.transpose(1, 2).contiguous().view(bsz, q_len, embed_dim)
    return attention.out_proj(attn_output)
# %% solution="start_cache"
def start_cache(model, source):
    encoder_outputs = model.encoder(source)
    past = [keys_and_values(layer.cross_attn, encoder_outputs) for layer in model.decoder.layers]
    memory_keys = torch.stack([key for key, _ in past])
    memory_values = torch.stack([value for _, value in past])
    size = list(memory_keys.shape)
    size[3] = 0
    return memory_keys.new_empty(size), memory_values.new_empty(size), memory_keys, memory_values
# %% solution="decoder_step"
def decoder_step(model, target, source, keys, values, memory_keys, memory_values):
    past_length, cur_len = keys.size(-2), target.size(-1)
    max_position_embeddings = model.decoder.positional_encoding.encoding.size(0)
    if past_length != cur_len - 1:
        raise ValueError(f"past_length is {past_length}, but there are {cur_len} input ids")
    if cur_len > max_position_embeddings:
        raise ValueError(f"input length {cur_len} exceeds max_len {max_position_embeddings}")
    attention_mask = padding_mask(target)
    encoder_attention_mask = padding_mask(source, model.pad_id)
    inputs_embeds = model.decoder.token_embedding(target[:, -1:])
    hidden_states = inputs_embeds + model.decoder.positional_encoding.encoding[past_length]
    next_keys, next_values = [], []
    for idx, decoder_layer in enumerate(model.decoder.layers):
        hidden_states, key, value = layer_step(
            decoder_layer,
            hidden_states,
            keys[idx],
            values[idx],
            memory_keys[idx],
            memory_values[idx],
            target_mask=attention_mask,
            memory_mask=encoder_attention_mask,
        )
        next_keys.append(key)
        next_values.append(value)
    return hidden_states, torch.stack(next_keys), torch.stack(next_values)
# %% solution="greedy_decode_cached"
class SuppressTokens:
    def __init__(self, *ids):
        self.ids = list(ids)

    def __call__(self, scores):
        scores = scores.clone()
        scores[:, self.ids] = -float("inf")
        return scores


class GenerationMixin:
    def __init__(self, model, eos_token_id):
        self.model, self.eos_token_id, self.pad_token_id = model, eos_token_id, model.pad_id
        # nobody wants to read padding
        self.processors = [SuppressTokens(self.pad_token_id)]

    def generate(self, source, input_ids, max_length):
        unfinished = torch.ones_like(input_ids[:, 0])
        past = start_cache(self.model, source)
        while input_ids.shape[-1] < max_length:
            hidden, k, v = decoder_step(self.model, input_ids, source, *past)
            past = (k, v) + past[2:]
            next_token_scores = self.model.output(hidden[:, -1])
            for processor in self.processors:
                next_token_scores = processor(next_token_scores)
            next_tokens = torch.argmax(next_token_scores, dim=-1)
            next_tokens = next_tokens * unfinished + self.pad_token_id * (1 - unfinished)
            input_ids = torch.cat([input_ids, next_tokens[:, None]], dim=-1)
            unfinished = unfinished.mul(next_tokens.ne(self.eos_token_id).long())
            if unfinished.max() == 0:
                break
        return input_ids


def greedy_decode_cached(model, source, start_id, end_id, max_len):
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        start = torch.full_like(source[:, :1], start_id)
        output = GenerationMixin(model, end_id).generate(source, start, max_len)
    model.train()
    return output.clone()
