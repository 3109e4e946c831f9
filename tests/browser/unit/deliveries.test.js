import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerWords, nextTryWords, stateOf } from '../../../src/dashboard/web/webhooks/delivery_state.js';

const NOW = Date.parse('2026-05-22T10:00:00Z');

test('a delivery has one state', () => {
    const words = (delivery) => stateOf(delivery).words;
    assert.equal(words({ state: 'delivered', status_code: 200 }), 'Delivered');
    assert.equal(words({ state: 'failed', cause: 'answered 500' }), 'Not delivered');
    assert.equal(words({ state: 'pending', next_try_at: '2026-05-22T10:00:00Z' }), 'Waiting');
    assert.equal(words({ state: 'pending', next_try_at: '2026-05-22T10:00:00Z', cause: 'answered 500' }), 'Trying again');
    assert.equal(words({ state: 'pending' }), 'Sending');
});

test('the next try is shown as a wait', () => {
    const words = (next, state = 'pending') => nextTryWords({ state, next_try_at: next }, NOW);
    assert.equal(words('2026-05-22T10:00:30Z'), 'in 30 s');
    assert.equal(words('2026-05-22T12:00:00Z'), 'in 2 h');
    assert.equal(words('2026-05-22T09:59:00Z'), 'now');
    assert.equal(words(undefined), null);
    assert.equal(words('2026-05-22T10:00:30Z', 'failed'), null);
});

test('an answer is a sentence', () => {
    assert.equal(answerWords({ cause: 'no answer within 15 seconds' }), 'No answer within 15 seconds.');
    assert.equal(answerWords({ status_code: 204 }), 'Answered 204.');
    assert.equal(answerWords({}), '');
});
