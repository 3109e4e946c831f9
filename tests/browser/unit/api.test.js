import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, setCsrfToken, setSessionListeners, upload } from '../../../src/dashboard/web/core/api.js';

let ended = 0;
setSessionListeners(() => { ended += 1; }, async () => false);

/** Reads while the daemon answers 401, after `meanwhile`; resolves to how many sessions have ended. */
async function endedBy(meanwhile) {
    ended = 0;
    setCsrfToken('first');
    globalThis.fetch = async () => {
        meanwhile();
        return new Response('{"message": "sign in"}', { status: 401 });
    };
    await assert.rejects(get('/reels'), { status: 401 });
    return ended;
}

test('a 401 ends the session that sent the request, and no later one', async () => {
    assert.equal(await endedBy(() => {}), 1);
    assert.equal(await endedBy(() => setCsrfToken('second')), 0);
});

test('an upload is aborted by its signal', async () => {
    const requests = [];
    globalThis.XMLHttpRequest = class extends EventTarget {
        upload = new EventTarget();

        constructor() {
            super();
            requests.push(this);
        }

        open() {}

        setRequestHeader() {}

        send() {}

        abort() {
            this.dispatchEvent(new Event('abort'));
        }
    };
    const leaving = new AbortController();
    const sending = upload('/reels/analyze', new FormData(), 'key', () => {}, leaving.signal);
    leaving.abort();
    await assert.rejects(sending, { name: 'AbortError' });
    await assert.rejects(upload('/reels/analyze', new FormData(), 'key', () => {}, leaving.signal), { name: 'AbortError' });
    assert.equal(requests.length, 1);
});
