import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlightParts, queryWords } from '../../../src/dashboard/web/text/highlight.js';

/** The parts in one line, marked ones in brackets. */
function marked(passage, query) {
    return highlightParts(passage, query)
        .map((part) => part.isMarked ? `[${part.text}]` : part.text).join('');
}

test('words of the search are marked, whatever their case', () => {
    assert.equal(marked('Wet your hands, always.', 'wet hands'), '[Wet] your [hands], always.');
});

test('a whole word is marked when it begins with a search word', () => {
    assert.equal(marked('She was cooking, then overcooked it', 'cook'),
        'She was [cooking], then overcooked it');
});

test('accents make no difference', () => {
    assert.equal(marked('Le café crème', 'CAFE'), 'Le [café] crème');
    assert.equal(marked('Le cafe\u0301 noir', 'café'), 'Le [cafe\u0301] noir');
});

test('other scripts also have words', () => {
    assert.equal(marked('تحضير القهوة العربية', 'القهوة'), 'تحضير [القهوة] العربية');
});

test('a passage without a match is unchanged', () => {
    assert.deepEqual(highlightParts('as it is', 'other'), [{ text: 'as it is', isMarked: false }]);
    assert.deepEqual(highlightParts('as it is', '. * ('), [{ text: 'as it is', isMarked: false }]);
    assert.deepEqual(highlightParts('', 'word'), []);
});

test('the parts concatenate to the passage, tags included', () => {
    const passage = '<img src=x onerror=alert(1)> with oil\nand OIL';
    const parts = highlightParts(passage, 'oil img alert');
    assert.equal(parts.map((part) => part.text).join(''), passage);
    assert.equal(parts.filter((part) => part.isMarked).length, 4);
});

test('words of a search are distinct and exclude single letters', () => {
    assert.deepEqual(queryWords('A Wet wet wét dog'), ['wet', 'dog']);
});

test('function words are marked only in a search without others', () => {
    assert.equal(marked('How TO brew: tomatoes to the espresso', 'how to brew espresso'),
        'How TO [brew]: tomatoes to the [espresso]');
    assert.equal(marked('To be or not, tomato', 'to be'), '[To] [be] or not, tomato');
    assert.equal(marked('An AI aims', 'ai'), 'An [AI] aims');
});
