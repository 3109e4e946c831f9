// Options of a submission.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOfOptions, NO_OPTIONS, optionMembers, optionOfMessage, OWN_SCHEMA, schemaProblem, supportedFields } from '../../../src/dashboard/web/reels/option_members.js';
import { optionWords } from '../../../src/dashboard/web/reel/option_words.js';

test('only fields with a value become members, and a schema becomes an object', () => {
    assert.deepEqual(optionMembers(NO_OPTIONS), {});
    assert.deepEqual(optionMembers({ ...NO_OPTIONS, extract: 'recipe', schema: 'ignored', language: ' de ' }),
        { extract: 'recipe', language: 'de' });
    assert.deepEqual(optionMembers({ extract: OWN_SCHEMA, schema: '{"type":"object"}', language: '', instructions: ' prices ',
        analyzer: 'local' }), { extract: { type: 'object' }, instructions: 'prices', analyzer: 'local' });
});

test('a schema that is no JSON object has a problem, and only if it is used', () => {
    assert.equal(schemaProblem({ ...NO_OPTIONS, schema: '{' }), null);
    assert.equal(schemaProblem({ ...NO_OPTIONS, extract: OWN_SCHEMA, schema: '{"type":"object"}' }), null);
    for (const [schema, problem] of [[' ', /Paste a JSON Schema/], ['{', /not JSON/], ['[]', /must be a JSON object/],
        ['null', /must be a JSON object/]]) {
        assert.match(schemaProblem({ ...NO_OPTIONS, extract: OWN_SCHEMA, schema }), problem);
    }
});

test('options that no analyzer of the server follows are left out', () => {
    const fields = { ...NO_OPTIONS, extract: 'recipe', language: 'de', analyzer: 'gemini' };
    assert.deepEqual(supportedFields(fields, ['gemini', 'local']), fields);
    assert.deepEqual(supportedFields(fields, ['openai']), { ...fields, analyzer: '' });
    assert.deepEqual(supportedFields(fields, ['local']), NO_OPTIONS);
    assert.deepEqual(supportedFields({ ...NO_OPTIONS, analyzer: 'local' }, ['local']), NO_OPTIONS);
});

test('an error is shown at its option', () => {
    assert.equal(optionOfMessage('Extract: "$ref" is not supported, at /$ref.'), 'extract');
    assert.equal(optionOfMessage('Language must be a BCP 47 tag.'), 'language');
    assert.equal(optionOfMessage('URL must be an instagram.com link.'), null);
    assert.equal(optionOfMessage(undefined), null);
});

test('the options of a job fill the fields and are named in words', () => {
    assert.deepEqual(fieldsOfOptions(undefined), NO_OPTIONS);
    assert.deepEqual(fieldsOfOptions({ extract: 'places', language: 'de' }), { ...NO_OPTIONS, extract: 'places', language: 'de' });
    const own = fieldsOfOptions({ extract: { type: 'object' } });
    assert.deepEqual(optionMembers(own), { extract: { type: 'object' } });
    assert.deepEqual(optionWords({ extract: { type: 'object' }, analyzer: 'local' }),
        [['Analyzer', 'local'], ['Extract', 'by an own schema']]);
    assert.deepEqual(optionWords({ extract: 'recipe' }), [['Extract', 'Recipe']]);
    assert.deepEqual(optionWords(undefined), []);
});
