// The title of the browser's tab.
import { useEffect } from 'htm/preact/standalone';

/** Sets the tab's title to the page's. */
export function useTitle(title) {
    useEffect(() => {
        document.title = `${title} - reelsd`;
    }, [title]);
}
