// Links that people submit, and which addresses from outside may become links. No DOM here: Node tests this file.

/** What was typed as a link; with the scheme, which people and other apps leave out. */
export function completeLink(typed) {
    const link = typed.trim();
    return /^(?:www\.|m\.)?instagram\.com\//i.test(link) ? `https://${link}` : link;
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
