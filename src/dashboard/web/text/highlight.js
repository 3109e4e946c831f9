// Finds the words of a search in a passage. No DOM here: Node tests this file.

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const WORD_LENGTH_MIN = 2; // A single letter would mark half of every passage.

/** A word as it is compared: without letter case and without accents. */
function folded(word) {
    return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The distinct words of a search, as they are compared. */
export function queryWords(query) {
    const words = (query.match(WORD) ?? []).map(folded);
    return [...new Set(words)].filter((word) => word.length >= WORD_LENGTH_MIN);
}

/**
 * Cuts a passage into parts, `[{text, isMarked}]`, that make up the passage again. Marked are whole words
 * that begin with a word of the search: `cook` marks `cooking`.
 */
export function highlightParts(passage, query) {
    const wanted = queryWords(query);
    const parts = [];
    let plain = 0;
    for (const found of wanted.length > 0 ? passage.matchAll(WORD) : []) {
        const word = folded(found[0]);
        if (!wanted.some((one) => word.startsWith(one))) {
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
