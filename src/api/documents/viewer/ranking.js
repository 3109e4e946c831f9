// How well entries fit what is typed. No DOM, so that Node can test this file.
export const RESULTS_MAX = 20;
const PASSAGE_BEFORE = 40;
const PASSAGE_LENGTH = 150;
const WEIGHTS = { title: 10, names: 10, parent: 2, text: 1 };
// Of questions; they say nothing about what is searched.
const STOP_WORDS = new Set(('a an and are as at be by can could do does for from get have how i if in into is it its me my no not of on or '
    + 'should so that the their them then there this to use was we what when where which who why will with would you your').split(' '));
/** What readers call sections and requests that have other titles. */
export const OTHER_NAMES = {
    Authentication: 'api key, token, bearer, login, credentials',
    'Codes of failed requests': 'error codes',
    'Safe retries': 'idempotency, retry safely, duplicate',
    Pagination: 'next page, cursor',
    Limits: 'rate limiting, too many requests, 429, quota, throttling',
    'Lists and queue': 'bulk, batch, many links',
    'Structured data': 'json schema, own fields',
    Conventions: 'cors, origin, date format',
    'Command-line client': 'cli, sdk, library',
    'Submit one or several reels': 'analyse a link, bulk, batch',
    'Read one reel': 'poll, long polling, status',
    'Follow the progress of one reel': 'sse, server-sent events, stream',
    'Delete one reel': 'cancel a job, remove',
    'Search your reels by meaning': 'semantic search',
};
const STEM_LETTERS_MIN = 4;
const TYPO_LETTERS_MIN = 4; // Shorter words are too similar to each other.
const TWO_TYPOS_LETTERS_MIN = 8;

export function folded(text) {
    return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The words of a phrase, without those of a question if others are left. */
function wordsOf(phrase) {
    const words = phrase.split(/[^\p{L}\p{N}_/{}-]+/u).filter(Boolean);
    const telling = words.filter((word) => !STOP_WORDS.has(word));
    return telling.length > 0 ? telling : words;
}

/** A word without an ending that its other forms do not have. */
function stemOf(word) {
    const stem = word.replace(/(?:ing|ies|ed|ly|y|s)$/, '');
    return stem.length < STEM_LETTERS_MIN ? word : stem;
}

/** Matches texts with a word that begins with `word`. */
function beginningOf(word) {
    return new RegExp(`(?<![\\p{L}\\p{N}])${word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`, 'u');
}

/** How well an entry fits: 0 unless at least `needed` words begin a word of it. */
function scoreOf({ folded: parts, more, factor }, phrase, beginnings, needed) {
    let score = 0;
    let matched = 0;
    for (const begins of beginnings) {
        const found = Object.keys(WEIGHTS).filter((part) => begins.test(parts[part]));
        if (found.length > 0 || begins.test(more)) {
            matched += 1;
            score += found.reduce((sum, part) => sum + WEIGHTS[part], 0.5);
        }
    }
    const isName = parts.names.split(', ').includes(phrase);
    return matched < needed ? 0 : factor * (score + ([parts.title, parts.parent].includes(phrase) || isName ? 100 : 0)
        + (parts.title.includes(phrase) ? 40 : 0) + (phrase.includes('/') && parts.parent.endsWith(phrase) ? 40 : 0)
        + (parts.title.startsWith(phrase) ? 30 : 0) + (parts.text.includes(phrase) ? 12 : 0));
}

/** The number of letters to add, remove, replace or exchange with the next, at most `most + 1`. */
function editsBetween(a, b, most) {
    if (Math.abs(a.length - b.length) > most) {
        return most + 1;
    }
    const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
    for (let i = 1; i <= a.length; i += 1) {
        const row = [i];
        for (let j = 1; j <= b.length; j += 1) {
            const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2][j - 2] + 1 : Infinity;
            row.push(Math.min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1), exchanged));
        }
        rows.push(row);
    }
    return rows[a.length][b.length];
}

/** The most frequent word of the entries among those that are nearest to a mistyped one, or the word itself. */
function correctedWord(word, counts) {
    const most = word.length < TYPO_LETTERS_MIN ? 0 : word.length < TWO_TYPOS_LETTERS_MIN ? 1 : 2;
    let best = { known: word, edits: most + 1, count: 0 };
    for (const [known, count] of counts) {
        const edits = most === 0 ? 1 : editsBetween(word, known, most);
        if (edits <= most && (edits < best.edits || (edits === best.edits && count > best.count))) {
            best = { known, edits, count };
        }
    }
    return best.known;
}

function correct(words, entries) {
    const counts = new Map();
    for (const { folded: parts } of entries) {
        for (const known of `${parts.title} ${parts.names} ${parts.text}`.split(/[^\p{L}\p{N}]+/u)) {
            counts.set(known, (counts.get(known) ?? 0) + 1);
        }
    }
    const isKnown = (word) => entries.some(({ folded: parts, more }) =>
        [parts.title, parts.names, parts.text, more].some((text) => beginningOf(stemOf(word)).test(text)));
    return words.map((word) => (isKnown(word) ? word : correctedWord(word, counts)));
}

/** The part of the text around the phrase or a word: `[before, match, after]`. */
function passageOf({ text, folded: parts }, phrase, words) {
    const [word, at] = [phrase, ...words].map((one) => [one, parts.text.indexOf(one)]).find(([, place]) => place >= 0) ?? ['', 0];
    const from = at <= PASSAGE_BEFORE ? 0 : text.indexOf(' ', at - PASSAGE_BEFORE) + 1;
    return [(from > 0 ? '… ' : '') + text.slice(from, at), text.slice(at, at + word.length),
        text.slice(at + word.length, from + PASSAGE_LENGTH)];
}

function ranked(entries, phrase, words, needed) {
    const beginnings = words.map((word) => beginningOf(stemOf(word)));
    return entries.map((entry) => ({ ...entry, score: scoreOf(entry, phrase, beginnings, needed) }))
        .filter(({ score }) => score > 0).sort((a, b) => b.score - a.score).slice(0, RESULTS_MAX)
        .map((entry) => ({ ...entry, passage: passageOf(entry, phrase, words) }));
}

/**
 * What fits best: `{found, corrected}`. If no entry has all words, mistyped ones are corrected, which `corrected` then has;
 * otherwise entries count that have half of the words.
 */
export function find(entries, typed) {
    const whole = folded(typed.trim()).replaceAll(/\s+/g, ' ');
    const words = wordsOf(whole);
    const isQuestion = words.length > 0 && STOP_WORDS.has(whole.split(' ')[0]) && !/[/{]/.test(whole);
    const phrase = isQuestion ? words.join(' ') : whole;
    if (words.length === 0) {
        return { found: [], corrected: '' };
    }
    const exact = ranked(entries, phrase, words, words.length);
    if (exact.length > 0) {
        return { found: exact, corrected: '' };
    }
    const better = correct(words, entries);
    const corrected = better.join(' ') === words.join(' ') ? '' : better.join(' ');
    const all = ranked(entries, better.join(' '), better, better.length);
    return { found: all.length > 0 ? all : ranked(entries, phrase, better, Math.ceil(better.length / 2)), corrected };
}
