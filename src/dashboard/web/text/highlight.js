// Finds the words of a search in a passage. No DOM, so that Node can test this file.

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const WORD_LENGTH_MIN = 2; // A single letter would mark half of a passage.

/** Normalises a word for comparison: removes letter case and accents. */
function folded(word) {
    return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The distinct normalised words of a search. */
export function queryWords(query) {
    const words = (query.match(WORD) ?? []).map(folded);
    return [...new Set(words)].filter((word) => word.length >= WORD_LENGTH_MIN);
}

/**
 * Splits a passage into consecutive parts, `[{text, isMarked}]`. A whole word is marked if it begins with a
 * word of the search: `cook` marks `cooking`.
 */
export function highlightParts(passage, query) {
    const prefixes = queryWords(query);
    const parts = [];
    let plain = 0;
    for (const found of prefixes.length > 0 ? passage.matchAll(WORD) : []) {
        const word = folded(found[0]);
        if (!prefixes.some((prefix) => word.startsWith(prefix))) {
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
