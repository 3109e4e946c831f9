// Links that people submit, and which addresses from outside may become links. No DOM here: Node tests this file.

/** What was typed as a link; with the scheme, which people and other apps leave out. */
export function completeLink(typed) {
    const link = typed.trim();
    return /^(?:www\.|m\.)?instagram\.com\//i.test(link) ? `https://${link}` : link;
}

const LINKS = /https?:\/\/[^\s<>"']+|(?<![\w.@/-])(?:www\.|m\.)?instagram\.com\/[^\s<>"']+/gi;

/** The links in a text, each once, in order and with their scheme; the text itself if it has none. */
export function linksIn(text) {
    const found = [...text.matchAll(LINKS)].map(([link]) => completeLink(link.replace(/[.,;:!?)\]}]+$/, '')));
    return found.length > 0 ? [...new Set(found)] : [completeLink(text)];
}

const LINKS_MAX = 50; // Of one request.
const CHARACTERS_MAX = 15000; // Together; also with four bytes each they fit into a body.

/** Links in parts that fit into one request each. */
export function partsOf(links) {
    const parts = [];
    let characters = 0;
    for (const link of links) {
        characters += link.length;
        if (parts.length === 0 || parts.at(-1).length === LINKS_MAX || characters > CHARACTERS_MAX) {
            parts.push([]);
            characters = link.length;
        }
        parts.at(-1).push(link);
    }
    return parts;
}

/** An address on the platform that is safe to link to, or null. Anything else stays text. */
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
