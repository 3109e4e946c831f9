// The title of the browser's tab.
import { useEffect } from '../htm-preact.js';

/** Names the tab after the page. */
export function useTitle(title) {
    useEffect(() => {
        document.title = `${title} - reelsd`;
    }, [title]);
}
