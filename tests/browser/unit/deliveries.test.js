import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withNewest } from '../../../src/dashboard/web/webhooks/delivery_list.js';
import { addressProblem, answerWords, jsonOf, nextTryWords, stateOf, tookWords } from '../../../src/dashboard/web/webhooks/delivery_state.js';

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
    assert.equal(answerWords({ cause: 'the address is not allowed: private networks must be in REELSD_WEBHOOK_NETWORKS' }),
        'Private address refused. If it is in a private network, ask the operator of this server to allow it.');
    assert.equal(answerWords({ cause: 'the address is not allowed: private networks must be in REELSD_WEBHOOK_NETWORKS' }, true),
        'Private address refused. If it is in a private network, add that to the setting webhook-networks (REELSD_WEBHOOK_NETWORKS).');
});

test('an error about an address names the setting to administrators only', () => {
    assert.equal(addressProblem('Url must be an https URL; http is only for REELSD_WEBHOOK_NETWORKS'),
        'The address must be an https URL. If it is in a private network, ask the operator of this server to allow it');
    assert.match(addressProblem('Url must be an https URL; http is only for REELSD_WEBHOOK_NETWORKS', true), /webhook-networks/);
});

test('a duration is short', () => {
    assert.equal(tookWords({ seconds: 0.2144 }), '214 ms');
    assert.equal(tookWords({ seconds: 15.004 }), '15.0 s');
    assert.equal(tookWords({}), null);
});

test('a body is shown as JSON if it is JSON', () => {
    assert.equal(jsonOf('{"a":1}'), '{\n  "a": 1\n}');
    assert.equal(jsonOf('<p>no</p>'), null);
});

test('older deliveries stay when the newest are fetched again', () => {
    const url = 'https://hooks.test/p/reels_hook'; // Looks like the link of a post.
    const of = (...ids) => ids.map((id) => ({ id, url }));
    assert.deepEqual(withNewest(of(4, 3, 2, 1), '?before=1', { items: of(5, 4), next: '?before=4' }),
        { deliveries: of(5, 4, 3, 2, 1), next: '?before=1' });
    assert.equal(withNewest(of(2, 1), null, { items: of(5, 4), next: '?before=4' }).next, null);
    assert.deepEqual(withNewest([], null, { items: of(5, 4), next: '?before=4' }), { deliveries: of(5, 4), next: '?before=4' });
    assert.deepEqual(withNewest(of(3, 2), '?before=2', { items: of(3), next: null }), { deliveries: of(3), next: null });
});
