import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsForFailure } from '../../../src/dashboard/web/admin/model_failure.js';

test('a failed test of a model says what to do', () => {
    const cases = [
        ['misconfigured: HTTP 400 INVALID_ARGUMENT: API key not valid. Please pass a valid API key. API_KEY_INVALID',
            /^Gemini refuses this API key/],
        ['unauthorized: HTTP 401: Incorrect API key provided', /refuses this API key/],
        ['misconfigured: HTTP 404 NOT_FOUND: models/none is not found', /no such model/],
        ['unlisted: the server does not list this model, and may refuse it', /does not list this model/],
        ['quota_exhausted: HTTP 429 RESOURCE_EXHAUSTED', /quota is used up/],
        ['misconfigured: HTTP 429 insufficient_quota', /quota is used up/],
        ['transient: model.example: Could not resolve host: model.example', /cannot reach/],
        ['slow: no answer in time', /in time/],
        ['transient: HTTP 502', /^The test failed/],
    ];
    for (const [error, words] of cases) {
        assert.match(wordsForFailure(error, 'gemini'), words, error);
    }
    assert.match(wordsForFailure('unauthorized: HTTP 401', 'openai'), /^The server refuses/);
});
