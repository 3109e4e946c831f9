// The running time of an analysis.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { elapsedWords } from '../reels/durations.js';

/** The time since `start` (RFC 3339), updated each second, next to the `usual` seconds, or null. */
export function Elapsed({ start, usual }) {
    const [now, setNow] = useState(Date.now());
    useEffect(() => {
        const timer = setInterval(() => document.hidden || setNow(Date.now()), 1000);
        return () => clearInterval(timer);
    }, []);
    return html`<span>${elapsedWords(Date.parse(start), now, usual)}</span>`;
}
