// Differences of texts and lists. No DOM, so that Node can test this file.

const CELLS_MAX = 4_000_000; // Of the table of common parts: two texts of 2,000 words take about 20 ms.

/** Marks which items of two lists are in their longest common subsequence: `[isCommon, isCommon]`. */
function commonItems(left, right) {
    const marks = [left.map(() => false), right.map(() => false)];
    let start = 0;
    let [leftEnd, rightEnd] = [left.length, right.length];
    const mark = (one, other) => {
        marks[0][one] = true;
        marks[1][other] = true;
    };
    while (start < leftEnd && start < rightEnd && left[start] === right[start]) {
        mark(start, start);
        start += 1;
    }
    while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
        leftEnd -= 1;
        rightEnd -= 1;
        mark(leftEnd, rightEnd);
    }
    const [rows, columns] = [leftEnd - start, rightEnd - start];
    if (rows * columns > CELLS_MAX) {
        return marks; // Everything between the common ends counts as different.
    }
    const width = columns + 1;
    const lengths = new Uint16Array((rows + 1) * width);
    for (let row = rows - 1; row >= 0; row -= 1) {
        for (let column = columns - 1; column >= 0; column -= 1) {
            lengths[row * width + column] = left[start + row] === right[start + column]
                ? lengths[(row + 1) * width + column + 1] + 1
                : Math.max(lengths[(row + 1) * width + column], lengths[row * width + column + 1]);
        }
    }
    for (let row = 0, column = 0; row < rows && column < columns;) {
        if (left[start + row] === right[start + column]) {
            mark(start + row, start + column);
            row += 1;
            column += 1;
        } else if (lengths[(row + 1) * width + column] >= lengths[row * width + column + 1]) {
            row += 1;
        } else {
            column += 1;
        }
    }
    return marks;
}

function folded(text) {
    return text.normalize('NFKC').toLowerCase();
}

/** Words with the punctuation and whitespace between them; scripts without spaces are split by their words, too. */
function tokensOf(text) {
    return [...new Intl.Segmenter('und', { granularity: 'word' }).segment(text)]
        .map(({ segment, isWordLike }) => ({ text: segment, isWord: Boolean(isWordLike) }));
}

/** The tokens of one side as parts `[{text, isMarked}]`; what is between two marked words is marked with them. */
function partsOf(tokens, isCommonWord) {
    const words = tokens.flatMap(({ isWord }, index) => isWord ? [index] : []);
    const isMarked = tokens.map(() => false);
    words.forEach((index, number) => {
        isMarked[index] = !isCommonWord[number];
        const next = words[number + 1];
        if (isMarked[index] && next !== undefined && !isCommonWord[number + 1]) {
            isMarked.fill(true, index, next);
        }
    });
    const parts = [];
    tokens.forEach(({ text }, index) => {
        if (parts.length > 0 && parts.at(-1).isMarked === isMarked[index]) {
            parts.at(-1).text += text;
        } else {
            parts.push({ text, isMarked: isMarked[index] });
        }
    });
    return parts;
}

/**
 * Two texts word by word, without regard to case and punctuation: `[parts, parts]`, each `[{text, isMarked}]`, where the
 * marked parts are in one text only.
 */
export function textDifference(left, right) {
    const tokens = [tokensOf(left), tokensOf(right)];
    const words = tokens.map((side) => side.filter(({ isWord }) => isWord).map(({ text }) => folded(text)));
    const isCommon = commonItems(...words);
    return tokens.map((side, index) => partsOf(side, isCommon[index]));
}

/** Two lists of texts entry by entry, in any order: `[[{text, isMarked}], [{text, isMarked}]]`. */
export function listDifference(left, right) {
    const marked = (list, other) => {
        const counts = new Map();
        other.forEach((text) => counts.set(folded(text), (counts.get(folded(text)) ?? 0) + 1));
        return list.map((text) => {
            const count = counts.get(folded(text)) ?? 0;
            counts.set(folded(text), count - 1);
            return { text, isMarked: count <= 0 };
        });
    };
    return [marked(left, right), marked(right, left)];
}
