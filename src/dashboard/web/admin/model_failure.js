// What a failed test of a model means.

const NAMES = { gemini: 'Gemini', openai: 'The server' };

/**
 * Each failure with what to do about it. The daemon's text starts with the kind of the failure, and quotes the answer.
 * The first that matches applies.
 */
const FAILURES = [
    [/^unauthorized|API_KEY_INVALID|HTTP 40[13]\b/, (name) => `${name} refuses this API key. Create a new key, or copy it again.`],
    [/^unlisted/, () => 'The server does not list this model, and may refuse it. Check its name.'],
    [/HTTP 404\b/, () => 'There is no such model at this address. Check both.'],
    [/^quota_exhausted|insufficient_quota|billing_|limit: 0/, () => 'The key is valid, but its quota is used up.'],
    [/^(rate_limited|overloaded)/, () => 'The key is valid, but the model has too many requests at the moment. Test it again later.'],
    [/^slow/, () => 'The model did not answer in time.'],
    [/resolve (host|proxy)|connect to/i, () => 'This server cannot reach the address. Check it. If this server needs a proxy for '
        + 'other servers, set model-proxy.'],
    [/^misconfigured/, (name) => `${name} refuses the request. Check the address and the model.`],
];

/** A sentence for the daemon's `error`. */
export function wordsForFailure(error, provider) {
    const found = FAILURES.find(([pattern]) => pattern.test(error));
    return found ? found[1](NAMES[provider]) : 'The test failed. Test it again later.';
}
