// Finds the words of a search in a passage. No DOM, so that Node can test this file.

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const WORD_LENGTH_MIN = 2; // A single letter would mark half of a passage.

/** Normalises a text for comparison: removes letter case and accents. */
export function folded(word) {
    return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

// Function words of English, without which a search says the same. They are marked only if a search has no other word.
const STOP_WORDS = new Set(['a', 'about', 'an', 'and', 'are', 'as', 'at', 'be', 'by', 'can', 'do', 'does', 'for', 'from',
    'has', 'have', 'how', 'i', 'in', 'is', 'it', 'its', 'me', 'my', 'not', 'of', 'on', 'or', 'so', 'that', 'the', 'their',
    'there', 'they', 'this', 'to', 'was', 'we', 'what', 'when', 'where', 'which', 'who', 'why', 'will', 'with', 'you',
    'your']);
const PREFIX_LENGTH_MIN = 3; // Shorter words mark only themselves: `to` is not a part of `tomato`.

/** The distinct normalised words of a search that say something. */
export function queryWords(query) {
    const words = [...new Set((query.match(WORD) ?? []).map(folded))].filter((word) => word.length >= WORD_LENGTH_MIN);
    const telling = words.filter((word) => !STOP_WORDS.has(word));
    return telling.length > 0 ? telling : words;
}

/**
 * Splits a passage into consecutive parts, `[{text, isMarked}]`. A whole word is marked if it begins with a
 * word of the search: `cook` marks `cooking`.
 */
export function highlightParts(passage, query) {
    const sought = queryWords(query);
    const isFound = (word) => sought.some((one) => one.length < PREFIX_LENGTH_MIN ? word === one : word.startsWith(one));
    const parts = [];
    let plain = 0;
    for (const found of sought.length > 0 ? passage.matchAll(WORD) : []) {
        if (!isFound(folded(found[0]))) {
            continue;
        }
        if (found.index > plain) {
            parts.push({ text: passage.slice(plain, found.index), isMarked: false });
        }
        parts.push({ text: found[0], isMarked: true });
        plain = found.index + found[0].length;
    }
    if (plain < passage.length) {
        parts.push({ text: passage.slice(plain), isMarked: false });
    }
    return parts;
}
