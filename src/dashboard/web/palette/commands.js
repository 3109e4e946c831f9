// The commands of the palette. No DOM, so that Node can test this file.
import { linksIn } from '../reel/links.js';

// Label, path, other names, and the keys that do the same.
const PAGES = [
    ['Reels', '/', 'list start home', ['G', 'R']],
    ['Failed reels', '/?status=error', 'error list'],
    ['Usage', '/usage', 'cost money tokens budget limits', ['G', 'U']],
    ['Tokens', '/tokens', 'api key program', ['G', 'T']],
    ['Webhooks', '/webhooks', 'notifications secret deliveries', ['G', 'W']],
    ['Account', '/account', 'password sign out chats telegram export delete', ['G', 'A']],
];
const ADMIN_PAGES = [
    ['Admin: Queue', '/admin', 'jobs workers', ['G', 'D']],
    ['Admin: Access', '/admin?tab=access', 'platform resolvers proxy'],
    ['Admin: Models', '/admin?tab=models', 'analyzer'],
    ['Admin: Failures', '/admin?tab=failures', 'errors retry'],
    ['Admin: Accounts', '/admin?tab=accounts', 'users invite limits'],
];
const ACTIONS = [
    ['Analyse a link', 'links', 'paste submit new reel', ['C']],
    ['Upload a video', 'upload', 'submit file new reel'],
    ['Create a token', 'token', 'api key new program'],
    ['Delete failed reels', 'delete_failed', 'remove errors'],
    ['Open the documentation', 'documentation', 'api reference docs help'],
    ['Switch between light and dark', 'theme', 'colours theme mode'],
    ['Switch between list and grid', 'view', 'rows pictures'],
    ['Keyboard shortcuts', 'shortcuts', 'keys help', ['?']],
];
const RECENT_MAX = 5;

function folded(text) {
    return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Whether each word of `text` begins a word of the label or of the other names. */
function fits(text, label, names) {
    const known = folded(`${label} ${names}`).split(/[^\p{L}\p{N}]+/u);
    return folded(text).split(/\s+/).every((word) => known.some((one) => one.startsWith(word)));
}

/** What can be done with the text itself: `{kind: 'link' | 'reel', label, value}`, or none. */
function directCommands(text) {
    const number = /^#?([1-9]\d{0,15})$/.exec(text)?.[1];
    if (number) {
        return [{ kind: 'page', label: `Reel #${number}`, value: `/reels/${number}` }];
    }
    const links = /instagram\.com\/\S/i.test(text) ? linksIn(text) : [];
    return links.length === 1 ? [{ kind: 'link', label: 'Analyse this link', value: links[0] }] : [];
}

/**
 * The entries for a typed text, those first whose labels have its words: `[{kind, label, value, keys}]`. `kind` is `page`
 * (`value` is its path), `action` (its name) or `link` (the link). `keys` are those of its shortcut, if it has one.
 */
export function commandsFor(typed, isAdmin) {
    const text = typed.trim();
    const pages = [...PAGES, ...isAdmin ? ADMIN_PAGES : []];
    const all = [
        ...ACTIONS.map(([label, value, names, keys]) => ({ kind: 'action', label, value, names, keys })),
        ...pages.map(([label, value, names, keys]) => ({ kind: 'page', label, value, names, keys })),
    ];
    const byLabel = all.filter(({ label }) => text === '' || fits(text, label, ''));
    const byName = all.filter((entry) => !byLabel.includes(entry) && fits(text, entry.label, entry.names));
    const found = [...byLabel, ...byName];
    return [...directCommands(text), ...found.map(({ kind, label, value, keys }) => ({ kind, label, value, ...keys && { keys } }))];
}

/** The entries for reels of the list whose titles have words that begin as those of the text; the newest first. */
export function listedReels(reels, typed, headlineOf) {
    const text = typed.trim();
    return reels.filter((reel) => text === '' || fits(text, headlineOf(reel), '')).slice(0, RECENT_MAX)
        .map((reel) => ({ kind: 'page', label: headlineOf(reel), value: `/reels/${reel.id}` }));
}

/** The entry that shows all hits for a text. */
export function searchEntry(text) {
    return { kind: 'page', label: `Search for “${text}”`, value: `/?q=${encodeURIComponent(text)}` };
}

/** The entries for hits of a search; those with a time open at it. */
export function hitEntries(hits, headlineOf) {
    return hits.map((hit) => ({
        kind: 'page', label: headlineOf(hit),
        value: `/reels/${hit.id}${typeof hit.match.seconds === 'number' ? `#t=${hit.match.seconds}` : ''}`,
    }));
}
