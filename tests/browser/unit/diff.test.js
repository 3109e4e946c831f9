// Differences of texts and lists, and the rows of a comparison.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listDifference, textDifference } from '../../../src/dashboard/web/compare/diff.js';
import { comparisonRows } from '../../../src/dashboard/web/compare/rows.js';

const marked = (parts) => parts.filter(({ isMarked }) => isMarked).map(({ text }) => text);
const whole = (parts) => parts.map(({ text }) => text).join('');

test('words of one text only are marked, with the whitespace between them', () => {
    const cases = [
        ['the same', 'the same', [], []],
        ['The same!', 'the same', [], []],
        ['a small kitchen', 'a bright kitchen', ['small'], ['bright']],
        ['in one pan, fast', 'in a wok, fast', ['one pan'], ['a wok']],
        ['', 'new words', [], ['new words']],
        ['old', '', ['old'], []],
        ['a b c d', 'b c d e', ['a'], ['e']],
        ['麺を茹でる', '麺を焼く', null, null],
    ];
    for (const [left, right, leftMarks, rightMarks] of cases) {
        const [leftParts, rightParts] = textDifference(left, right);
        assert.equal(whole(leftParts), left);
        assert.equal(whole(rightParts), right);
        if (leftMarks) {
            assert.deepEqual(marked(leftParts), leftMarks, `${left} | ${right}`);
            assert.deepEqual(marked(rightParts), rightMarks, `${left} | ${right}`);
        } else {
            assert.notEqual(marked(leftParts).length, 0);
        }
    }
});

test('the rest of the text equals on both sides, for random texts', () => {
    let seed = 7;
    const random = (count) => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return seed % count;
    };
    const text = () => Array.from({ length: random(30) }, () => 'abcde'[random(5)]).join(' ');
    for (let round = 0; round < 200; round += 1) {
        const [left, right] = [text(), text()];
        const rest = textDifference(left, right).map((parts) => parts.filter(({ isMarked }) => !isMarked)
            .flatMap((part) => part.text.match(/[a-e]/g) ?? []));
        assert.deepEqual(rest[0], rest[1], `${left} | ${right}`);
    }
});

test('texts that are too long to compare are marked between their common ends', () => {
    const long = (word) => `start ${Array.from({ length: 3000 }, (_, index) => `${word}${index}`).join(' ')} end`;
    const [parts] = textDifference(long('a'), long('b'));
    assert.deepEqual(parts.map(({ isMarked }) => isMarked), [false, true, false]);
});

test('entries of one list only are marked, in any order', () => {
    assert.deepEqual(listDifference(['a', 'b', 'b'], ['B', 'A', 'c']), [
        [{ text: 'a', isMarked: false }, { text: 'b', isMarked: false }, { text: 'b', isMarked: true }],
        [{ text: 'B', isMarked: false }, { text: 'A', isMarked: false }, { text: 'c', isMarked: true }],
    ]);
});

function reelWith(summary, topics, extract) {
    return { extract, result: {
        visual: { description: '', setting: '', subjects: [], text_on_screen: [], text_segments: [] },
        audio: { transcript: '', language: null, has_music: false, music_description: '', segments: [] },
        content: { summary, topics, hooks: [], call_to_action: null, key_moments: [{ seconds: 75, description: 'Salt.' }] },
        metadata: { format: 'tutorial', sentiment: 'positive', target_audience: 'cooks', warnings: [] },
    } };
}

test('a comparison has a row for each part that one analysis has', () => {
    const rows = comparisonRows(reelWith('A pan.', ['food'], { name: 'Noodles', steps: [{ text: 'Boil.', totalTime: 'PT5M' }] }),
        reelWith('A wok.', ['food']));
    assert.deepEqual(rows.map(({ label, isSame }) => [label, isSame]), [
        ['Summary', false], ['Key moments', true], ['Topics', true], ['Music', true], ['Format', true], ['Sentiment', true],
        ['Audience', true], ['Extracted', false],
    ]);
    assert.deepEqual(rows[1].sides[0], [{ text: '1:15 Salt.', isMarked: false }]);
    assert.deepEqual(rows.at(-1).sides, [
        [{ text: 'Name: Noodles', isMarked: true }, { text: 'Steps: Boil. (total time: 5 min)', isMarked: true }], []]);
});
