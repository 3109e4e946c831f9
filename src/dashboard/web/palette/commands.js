// The commands of the palette. No DOM, so that Node can test this file.
import { linksIn } from '../reel/links.js';
import { folded } from '../text/highlight.js';

// Label, path, icon, other names, and the keys that do the same.
const PAGES = [
    ['Reels', '/', 'reels', 'list start home', ['G', 'R']],
    ['Show waiting reels', '/?status=pending', 'pending', 'list filter status queue'],
    ['Show running reels', '/?status=processing', 'processing', 'list filter status'],
    ['Show finished reels', '/?status=done', 'done', 'list filter status'],
    ['Show failed reels', '/?status=error', 'error', 'list filter status errors'],
    ['Usage', '/usage', 'usage', 'cost money tokens budget limits', ['G', 'U']],
    ['Tokens', '/tokens', 'tokens', 'api key program', ['G', 'T']],
    ['Webhooks', '/webhooks', 'webhooks', 'notifications secret deliveries', ['G', 'W']],
    ['Account', '/account', 'account', 'password chats telegram export delete', ['G', 'A']],
];
const ADMIN_PAGES = [
    ['Admin: Queue', '/admin', 'admin', 'jobs workers', ['G', 'D']],
    ['Admin: Access', '/admin?tab=access', 'admin', 'platform resolvers proxy'],
    ['Admin: Models', '/admin?tab=models', 'admin', 'analyzer'],
    ['Admin: Failures', '/admin?tab=failures', 'admin', 'errors retry'],
    ['Admin: Accounts', '/admin?tab=accounts', 'admin', 'users limits'],
    ['Invite a user', '/admin?tab=accounts&invite=1', 'admin', 'account add new'],
];
const ACTIONS = [
    ['Analyse a link', 'links', 'reels', 'paste submit new reel', ['C']],
    ['Upload a video', 'upload', 'upload', 'submit file new reel'],
    ['Create a token', 'token', 'tokens', 'api key new program'],
    ['Delete failed reels', 'delete_failed', 'trash', 'remove errors'],
    ['Open the documentation', 'documentation', 'next', 'api reference docs help'],
    ['Switch between light and dark', 'theme', 'sun', 'colours theme mode'],
    ['Switch between list and grid', 'view', 'grid', 'rows pictures'],
    ['Keyboard shortcuts', 'shortcuts', 'list', 'keys help', ['?']],
    ['Sign out', 'sign_out', 'out', 'log leave account'],
];
const RECENT_MAX = 5;

/** Whether each word of `text` begins a word of the label or of the other names. */
function fits(text, label, names) {
    const known = folded(`${label} ${names}`).split(/[^\p{L}\p{N}]+/u);
    return folded(text).split(/\s+/).every((word) => known.some((one) => one.startsWith(word)));
}

/** The number of the reel that a text such as `44` or `#44` names, or null. */
export function reelNumber(typed) {
    const digits = /^#?([1-9]\d{0,15})$/.exec(typed.trim())?.[1];
    return digits ? Number(digits) : null;
}

/** The command that analyses the link in a text, or none. */
function directCommands(text) {
    const links = /instagram\.com\/\S/i.test(text) ? linksIn(text) : [];
    return links.length === 1 ? [{ kind: 'link', label: 'Analyse this link', value: links[0], icon: 'reels' }] : [];
}

/**
 * The entries for a typed text, those first whose labels have its words: `[{kind, label, value, icon, keys}]`. `kind` is
 * `page` (`value` is its path), `action` (its name) or `link` (the link). `keys` are those of its shortcut, if it has one.
 */
export function commandsFor(typed, isAdmin) {
    const text = typed.trim();
    const pages = [...PAGES, ...isAdmin ? ADMIN_PAGES : []];
    const all = [
        ...ACTIONS.map(([label, value, icon, names, keys]) => ({ kind: 'action', label, value, icon, names, keys })),
        ...pages.map(([label, value, icon, names, keys]) => ({ kind: 'page', label, value, icon, names, keys })),
    ];
    const byLabel = all.filter(({ label }) => text === '' || fits(text, label, ''));
    const byName = all.filter((entry) => !byLabel.includes(entry) && fits(text, entry.label, entry.names));
    const found = [...byLabel, ...byName];
    return [...directCommands(text), ...found.map(({ kind, label, value, icon, keys }) => ({ kind, label, value, icon, ...keys && { keys } }))];
}

/** The entries of kind `own` for the actions of the shown page whose labels have words that begin as those of the text. */
export function pageEntries(actions, typed) {
    const text = typed.trim();
    return actions.filter(({ label }) => text === '' || fits(text, label, ''))
        .map(({ name, label, icon, keys, run }) => ({ kind: 'own', label, value: name, icon, ...keys && { keys }, run }));
}

/** The entry of a reel; `status` is its icon, and `detail` tells it from others with the same title. */
function reelEntry(reel, headlineOf, status, address) {
    return { kind: 'page', label: headlineOf(reel), value: address, icon: status,
        detail: `${reel.author ? `${reel.author} · ` : ''}#${reel.id}` };
}

/** The entry of the reel with a number; `reel` is null until it is known. */
export function numberedReel(number, reel, headlineOf) {
    return reel ? reelEntry(reel, headlineOf, reel.status, `/reels/${number}`)
        : { kind: 'page', label: `Reel #${number}`, value: `/reels/${number}`, icon: 'reels' };
}

/** The entries for reels of the list whose titles have words that begin as those of the text; the newest first. */
export function listedReels(reels, typed, headlineOf) {
    const text = typed.trim();
    return reels.filter((reel) => text === '' || fits(text, headlineOf(reel), '')).slice(0, RECENT_MAX)
        .map((reel) => reelEntry(reel, headlineOf, reel.status, `/reels/${reel.id}`));
}

/** The entry that shows all hits for a text. */
export function searchEntry(text) {
    return { kind: 'page', label: `Search for “${text}”`, value: `/?q=${encodeURIComponent(text)}`, icon: 'search' };
}

/** The entries for hits of a search; those with a time open at it. */
export function hitEntries(hits, headlineOf) {
    return hits.map((hit) => reelEntry(hit, headlineOf, 'done',
        `/reels/${hit.id}${typeof hit.match.seconds === 'number' ? `#t=${hit.match.seconds}` : ''}`));
}
