// Which dialog of every page is open: the command palette or the list of shortcuts. The shell shows it.
import { createStore } from '../core/store.js';

/** `palette`, `shortcuts` or null. */
export const overlayStore = createStore(null);

/** Opens a dialog; null closes what is open. */
export function openOverlay(name) {
    overlayStore.set(name);
}
