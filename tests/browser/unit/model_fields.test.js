import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, initialFields, keptKey } from '../../../src/dashboard/web/admin/model_fields.js';

const STORED = { provider: 'openai', url: 'https://a.test', model: 'm', mode: 'frames', key: { ends_with: '0123' } };
const FIELDS = initialFields({ stored: STORED });

test('a stored key is kept for its address', () => {
    assert.equal(keptKey({ ...FIELDS, url: ' https://a.test ' }, STORED), STORED.key);
    assert.ok(!('api_key' in bodyOf(FIELDS, STORED)));
    assert.equal(bodyOf({ ...FIELDS, key: 'new' }, STORED).api_key, 'new');
});

test('another address or provider begins without a key', () => {
    for (const changed of [{ url: 'http://127.0.0.1:8000' }, { provider: 'gemini' }]) {
        const fields = { ...FIELDS, ...changed };
        assert.equal(keptKey(fields, STORED), null);
        assert.equal(bodyOf(fields, STORED).api_key, '');
        assert.equal(bodyOf({ ...fields, key: 'new' }, STORED).api_key, 'new');
    }
    assert.equal(bodyOf(FIELDS, { ...STORED, key: null }).api_key, '');
    assert.equal(bodyOf(initialFields({ stored: null }), null).api_key, '');
});
