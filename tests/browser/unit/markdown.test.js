import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownOf, transcriptText } from '../../../src/dashboard/web/reel/markdown.js';

const REEL = {
    url: 'https://www.instagram.com/reel/abc/',
    result: {
        content: { key_moments: [{ seconds: 65, description: 'The *sauce* boils.' }], topics: ['pasta', 'tomato'] },
        audio: { segments: [{ start_seconds: 1.5, end_seconds: 3, text: 'Boil it.' }, { start_seconds: 3, text: 'Eat.' }],
            transcript: 'Boil it. Eat.' },
        visual: { text_segments: [], description: '' },
        platform_meta: { author: 'a_cook', url: 'https://www.instagram.com/reel/abc/' },
    },
};

test('a reel as Markdown has its timed parts, and text of others is no markup', () => {
    assert.equal(markdownOf(REEL, '# Pasta\n<b>'), `# \\# Pasta \\<b\\>

by a\\_cook, <https://www.instagram.com/reel/abc/>

## Key moments

- 1:05 The \\*sauce\\* boils.

## Speech

- 0:01 Boil it.
- 0:03 Eat.

## Topics

pasta, tomato
`);
});

test('a transcript has a line for each segment, if there are segments', () => {
    assert.equal(transcriptText(REEL.result.audio), 'Boil it.\nEat.');
    assert.equal(transcriptText({ segments: [], transcript: 'Boil it.' }), 'Boil it.');
    assert.equal(transcriptText({ segments: [], transcript: null }), '');
});
