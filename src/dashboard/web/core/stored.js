// Choices that this browser keeps. Without storage, they last until the page is closed.

/** The stored text, or null. */
export function readStored(key) {
    try {
        return localStorage.getItem(key);
    } catch {
        return null;
    }
}

/** Stores a text; null removes it. */
export function store(key, text) {
    try {
        if (text === null) {
            localStorage.removeItem(key);
        } else {
            localStorage.setItem(key, text);
        }
    } catch {
        // See above.
    }
}
