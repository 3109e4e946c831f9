// Shown for unknown addresses, and for what the user may not see.
import { html } from 'htm/preact/standalone';
import { Empty } from '../ui/notes.js';
import { useTitle } from '../ui/title.js';

const WORDS = {
    page: ['There is no page at this address', 'Check the address, or start from the list.'],
    reel: ['There is no such reel', 'It has been deleted, or it belongs to another account.'],
};

/** The page of an unknown address, or instead of a missing reel with `what="reel"`. */
export function Page({ what = 'page' }) {
    const [title, words] = WORDS[what];
    useTitle('Not found');
    return html`
        <div class="page-head flow"><h1>Not found</h1></div>
        <${Empty} title=${title}>
            <p>${words}</p>
            <p><a class="button" href="/">All reels</a></p>
        <//>`;
}
