// Shown for unknown addresses, and for pages that the user may not see.
import { html } from 'htm/preact/standalone';
import { Empty } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';

/** The page of an unknown address. */
export function Page() {
    useTitle('Not found');
    return html`
        <div class="page-head"><h1>Not found</h1></div>
        <${Empty} title="This page does not exist">
            <p>It may have been deleted, or belong to another account.</p>
            <p><a class="button" href="/">All reels</a></p>
        <//>`;
}
