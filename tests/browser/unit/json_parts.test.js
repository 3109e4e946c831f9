import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonParts } from '../../../src/dashboard/web/text/json_parts.js';

test('names, strings and values are found, and nothing is lost', () => {
    const value = { a: 'x: "y", 1', 'b"': [1, -2.5e-3, true, null], c: {} };
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
        const parts = jsonParts(text);
        assert.equal(parts.map((part) => part.text).join(''), text);
        const of = (kind) => parts.filter((part) => part.kind === kind).map((part) => part.text);
        assert.deepEqual(of('name'), ['"a"', '"b\\""', '"c"']);
        assert.deepEqual(of('string'), ['"x: \\"y\\", 1"']);
        assert.deepEqual(of('value'), ['1', '-0.0025', 'true', 'null']);
    }
});
