import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remedyFor } from '../../../src/dashboard/web/reel/retry.js';

test('an administrator is not sent to the operator', () => {
    for (const code of ['storage_error', 'video_too_long', 'internal', 'model_failed']) {
        assert.match(remedyFor({ error_code: code, retryable: false }, false), /operator/, code);
        assert.doesNotMatch(remedyFor({ error_code: code, retryable: false }, true), /operator|undefined/, code);
    }
    assert.match(remedyFor({ error_code: 'rate_limited', retryable: true }, true), /unknown how long/);
    assert.equal(remedyFor({ error_code: 'rate_limited', retryable: true, retry_after_seconds: 900 }, true), '');
});
