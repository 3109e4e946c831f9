// How the list shows its reels: as rows, or as a grid of pictures.
import { createStore } from '../core/store.js';
import { readStored, store } from '../core/stored.js';

const KEY = 'reelsd-view';

/** The views as `[name, label]`; the first is the default. */
export const VIEWS = [['list', 'List'], ['grid', 'Grid']];

/** The name of the shown view. */
export const viewStore = createStore(readStored(KEY) === 'grid' ? 'grid' : 'list');

/** Shows a view, and stores the choice. */
export function setView(name) {
    viewStore.set(name);
    store(KEY, name);
}
