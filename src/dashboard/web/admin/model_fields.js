// Values of the form of the model. No DOM, so that Node can test this file.

/** The values that the form starts with. */
export function initialFields({ stored }) {
    return {
        provider: stored?.provider ?? 'gemini', url: stored?.url ?? '', model: stored?.model ?? '', mode: stored?.mode ?? '',
        key: '', input: stored?.input_price ?? '', output: stored?.output_price ?? '',
    };
}

/** The stored key, if it can be used with these values: it belongs to one address of one provider. Otherwise null. */
export function keptKey(fields, stored) {
    return stored?.provider === fields.provider && stored.url === fields.url.trim() ? stored.key : null;
}

/** The request body. Without `api_key`, the stored key stays as it is; an empty one is none. */
export function bodyOf(fields, stored) {
    const body = {
        provider: fields.provider, url: fields.url.trim(), model: fields.model.trim(),
        input_price: fields.input.trim(), output_price: fields.output.trim(),
    };
    if (fields.provider === 'openai') {
        body.mode = fields.mode;
    }
    return fields.key === '' && keptKey(fields, stored) ? body : { ...body, api_key: fields.key };
}
