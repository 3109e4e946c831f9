import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendParts } from '../../../src/dashboard/web/reels/parts.js';

const failureOf = (status) => Object.assign(new Error(`status ${status}`), { status });

/** Sends the parts `a`, `b` and `c`, of which `b` fails; resolves to the failure, and the sent and the answered members. */
async function sendThree(status) {
    const sent = [];
    const answered = [];
    const failure = await sendParts([['a1', 'a2'], ['b1'], ['c1']], async (part) => {
        sent.push(...part);
        if (part[0] === 'b1') {
            throw failureOf(status);
        }
        return part.map((one) => `answer to ${one}`);
    }, (pairs) => answered.push(...pairs));
    return { failure: failure.status, sent, answered: answered.map(([one, answer]) => `${one}: ${answer}`) };
}

test('a failure keeps the answers to earlier parts', async () => {
    assert.deepEqual(await sendThree(0), {
        failure: 0, sent: ['a1', 'a2', 'b1'], answered: ['a1: answer to a1', 'a2: answer to a2'],
    });
});

test('a refused part does not stop others', async () => {
    assert.deepEqual(await sendThree(400), {
        failure: 400, sent: ['a1', 'a2', 'b1', 'c1'], answered: ['a1: answer to a1', 'a2: answer to a2', 'c1: answer to c1'],
    });
});

test('without a failure, there is none', async () => {
    assert.equal(await sendParts([[1]], async () => [2], () => {}), null);
});
