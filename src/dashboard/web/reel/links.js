// Parses submitted links and checks external addresses. No DOM, so that Node can test this file.

/** Typed text as a link, with the scheme, which users and apps often omit. */
export function completeLink(typed) {
    const link = typed.trim();
    return /^(?:www\.|m\.)?instagram\.com\//i.test(link) ? `https://${link}` : link;
}

const START = String.raw`(?:https?://|(?<![\w.@/-])(?:www\.|m\.)?instagram\.com/)`;

// A link ends before the next link and before a character that no address contains, such as a full-width comma.
const LINKS = new RegExp(String.raw`${START}(?:(?!${START})[\w\-.~:/?#[\]@!$&()*+,;=%])+`, 'gi');

/** The distinct links in a text, in order and with their scheme; the text itself if it contains none. */
export function linksIn(text) {
    const found = [...text.matchAll(LINKS)].map(([link]) => completeLink(link.replace(/[^\w/=-]+$/, '')));
    return found.length > 0 ? [...new Set(found)] : [completeLink(text)];
}

/** The text for the field of links from what another app has shared; `query` is that of the address, by the manifest. */
export function sharedLinks(query) {
    const parts = ['shared_url', 'shared_text', 'shared_title'].map((name) => query.get(name) ?? '');
    const text = parts.filter((part) => part.trim() !== '').join('\n');
    return text === '' ? '' : linksIn(text).join('\n');
}

const LINKS_MAX = 50; // Per request.
const CHARACTERS_MAX = 15000; // Per request in all; even at four bytes each they fit into a body.

/** Splits links into lists that fit into one request each, next to `taken` other characters. */
export function partsOf(links, taken = 0) {
    const parts = [];
    const charactersMax = Math.max(1, CHARACTERS_MAX - taken);
    let characters = 0;
    for (const link of links) {
        characters += link.length;
        if (parts.length === 0 || parts.at(-1).length === LINKS_MAX || characters > charactersMax) {
            parts.push([]);
            characters = link.length;
        }
        parts.at(-1).push(link);
    }
    return parts;
}

/** An address on the platform that is safe to link to, or null for any other. */
export function platformLink(url) {
    let parsed;
    try {
        parsed = new URL(url);
    } catch {
        return null;
    }
    const isPlatform = /^(?:[a-z]+\.)?instagram\.com$/.test(parsed.hostname);
    return parsed.protocol === 'https:' && isPlatform ? parsed.href : null;
}
