// Which dialog of every page is open, such as the command palette. The shell shows it.
import { createStore } from '../core/store.js';

/** `palette`, `shortcuts`, `delete_failed` or null. */
export const overlayStore = createStore(null);

/** Opens a dialog; null closes what is open. */
export function openOverlay(name) {
    overlayStore.set(name);
}
