// Icons on a 16 by 16 grid. Hidden from screen readers, because each has a label next to it.
import { html } from 'htm/preact/standalone';

const PATHS = {
    reels: 'M5 1.5h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM9.5 1.5v13',
    usage: 'M2 14h12M4 14V9M8 14V3M12 14V6',
    tokens: 'M10.5 9.5a4 4 0 1 0-3.6-2.3L2 12v2h2.5v-1.5H6V11l1.2-1.2M11 5h.01',
    webhooks: 'M2.5 8h7M7 4.5 10.5 8 7 11.5M13.5 2.5v11',
    admin: 'M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 2.5v4M6 9.5v4',
    account: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c.5-3 2.7-4.5 5.5-4.5s5 1.5 5.5 4.5',
    sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1M8 14v1M1 8h1M14 8h1M3 3l.7.7M12.3 12.3l.7.7M3 13l.7-.7M12.3 3.7l.7-.7',
    moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z',
    filter: 'M2 4h12M4.5 8h7M7 12h2',
    list: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01',
    grid: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
    trash: 'M2.5 4h11M6 4V2.5h4V4M4 4l.7 10h6.6L12 4M6.7 7v4.5M9.3 7v4.5',
    again: 'M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.5V4.5H10.5',
    tag: 'M2.5 2.5h5l6 6-5 5-6-6zM5.5 5.5h.01',
    copy: 'M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z',
    print: 'M4.5 6V2.5h7V6M4.5 11.5h-2V6h11v5.5h-2M4.5 9.5h7v4h-7z',
    upload: 'M8 10.5V2M4.5 5 8 1.5 11.5 5M2.5 14h11',
    download: 'M8 2v8.5M4.5 7.5 8 11l3.5-3.5M2.5 14h11',
    out: 'M8.5 2.5h-6v11h6M6 8h8M11 5l3 3-3 3',
    search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM10.7 10.7 14 14',
    back: 'M9.5 3 4.5 8l5 5',
    next: 'M6.5 3l5 5-5 5',
    below: 'M4 6.5 8 10.5 12 6.5',
    close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
    warning: 'M8 2 1.5 13.5h13zM8 6.5v3.5M8 12h.01',
    pending: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z',
    processing: 'M8 2a6 6 0 1 1-6 6',
    done: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.2 8.2l2 2 3.6-4', // Not a square: rows have checkboxes.
    error: 'M8 1.5 14.5 8 8 14.5 1.5 8zM8 5v3.5M8 11h.01',
};

/** An icon by name. */
export function Icon({ name }) {
    return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d=${PATHS[name]} />
    </svg>`;
}
