// How the list shows its reels: as rows, or as a grid of pictures.
import { createStore } from '../core/store.js';

const KEY = 'reelsd-view';

/** The views as `[name, label]`; the first is the default. */
export const VIEWS = [['list', 'List'], ['grid', 'Grid']];

function storedView() {
    try {
        return localStorage.getItem(KEY) === 'grid' ? 'grid' : 'list';
    } catch {
        return 'list'; // Without storage, each visit starts with the default.
    }
}

/** The name of the shown view. */
export const viewStore = createStore(storedView());

/** Shows a view, and stores the choice. */
export function setView(name) {
    viewStore.set(name);
    try {
        localStorage.setItem(KEY, name);
    } catch {
        // Without storage, the view still changes.
    }
}
