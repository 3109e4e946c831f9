// Dark and light theme: the system's, unless the user has chosen one.
import { createStore } from './store.js';
import { store } from './stored.js';

const KEY = 'reelsd-theme';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function readTheme() {
    return document.documentElement.dataset.theme ?? (systemIsDark.matches ? 'dark' : 'light');
}

/** The shown theme, `light` or `dark`. */
export const themeStore = createStore(readTheme());

systemIsDark.addEventListener('change', () => themeStore.set(readTheme()));

/** Switches the theme and stores the choice, unless it is the system's theme. */
export function switchTheme() {
    const next = readTheme() === 'dark' ? 'light' : 'dark';
    const isSystems = (next === 'dark') === systemIsDark.matches;
    if (isSystems) {
        delete document.documentElement.dataset.theme;
    } else {
        document.documentElement.dataset.theme = next;
    }
    store(KEY, isSystems ? null : next);
    themeStore.set(readTheme());
}
