// Maps addresses to pages. No DOM, so that Node can test this file.

const PATTERNS = [
    ['reels', /^\/$/],
    ['sign_in', /^\/sign-in$/],
    ['join', /^\/join$/],
    ['reel', /^\/reels\/([1-9]\d{0,18})$/],
    ['compare', /^\/reels\/([1-9]\d{0,18})\/compare\/([1-9]\d{0,18})$/],
    ['tokens', /^\/tokens$/],
    ['webhooks', /^\/webhooks$/],
    ['usage', /^\/usage$/],
    ['account', /^\/account$/],
    ['admin', /^\/admin$/],
];

/** The page at a path: `{name, id, other}` (`id`, a string, only for a reel, and `other` for two), or null. */
export function matchRoute(path) {
    for (const [name, pattern] of PATTERNS) {
        const match = pattern.exec(path);
        if (match) {
            return { name, id: match[1], ...match[2] && { other: match[2] } };
        }
    }
    return null;
}

/** Whether a page is for users who are not signed in. */
export function isPublic(name) {
    return name === 'sign_in' || name === 'join';
}

/** The page to show after sign-in: the requested path if it is on this site, otherwise the first page. */
export function pageAfterSignIn(next) {
    const path = next ?? '/';
    // Browsers interpret `//host` and `/\host` as another host.
    if (!/^\/(?![/\\])/.test(path)) {
        return '/';
    }
    const route = matchRoute(path.replace(/[?#].*$/, ''));
    return route && !isPublic(route.name) ? path : '/';
}

/** A path with the parameters that have a value. */
export function pathWithQuery(path, parameters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== '') {
            query.set(name, String(value));
        }
    }
    const text = query.toString();
    return text === '' ? path : `${path}?${text}`;
}

/** The time in seconds of a fragment such as `#t=12.5`, or null. */
export function momentOfFragment(fragment) {
    const match = /^#t=(\d{1,6}(?:\.\d{1,3})?)$/.exec(fragment);
    return match ? Number(match[1]) : null;
}
