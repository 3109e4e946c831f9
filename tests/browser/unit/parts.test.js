import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendFiles, sendParts } from '../../../src/dashboard/web/reels/parts.js';

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

/** Sends the files `a`, `b` and `c`, of which `b` fails; resolves to the failure and the outcomes. */
async function sendFilesWith(error) {
    const { outcomes, failure } = await sendFiles([{ name: 'a' }, { name: 'b' }, { name: 'c' }], async ({ name }) => {
        if (name === 'b') {
            throw error;
        }
        return name.toUpperCase();
    });
    return { failure: failure?.status ?? null, outcomes: outcomes.map((one) => `${one.name}: ${one.reel ?? one.error}`) };
}

test('a refused file does not stop others, and any other failure names those not sent', async () => {
    for (const status of [400, 413, 415]) {
        assert.deepEqual(await sendFilesWith(failureOf(status)), { failure: null, outcomes: ['a: A', `b: status ${status}`, 'c: C'] });
    }
    for (const status of [0, 429, 503, 507]) {
        assert.deepEqual(await sendFilesWith(failureOf(status)),
            { failure: status, outcomes: ['a: A', `b: status ${status}`, 'c: Not sent.'] });
    }
    const ofAll = Object.assign(new Error('Extract: wrong'), { status: 400 });
    assert.equal((await sendFilesWith(ofAll)).outcomes[2], 'c: Not sent.');
});
