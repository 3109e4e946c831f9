// Dark and light: as the system says, unless somebody has chosen.
import { createStore } from './store.js';

const KEY = 'reelsd-theme';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function readTheme() {
    return document.documentElement.dataset.theme ?? (systemIsDark.matches ? 'dark' : 'light');
}

/** `light` or `dark`: what is shown. */
export const themeStore = createStore(readTheme());

systemIsDark.addEventListener('change', () => themeStore.set(readTheme()));

/** Shows the other theme and keeps the choice, unless it is what the system says anyway. */
export function switchTheme() {
    const next = readTheme() === 'dark' ? 'light' : 'dark';
    const isSystems = (next === 'dark') === systemIsDark.matches;
    if (isSystems) {
        delete document.documentElement.dataset.theme;
    } else {
        document.documentElement.dataset.theme = next;
    }
    try {
        if (isSystems) {
            localStorage.removeItem(KEY);
        } else {
            localStorage.setItem(KEY, next);
        }
    } catch {
        // A browser that keeps nothing still switches.
    }
    themeStore.set(readTheme());
}
