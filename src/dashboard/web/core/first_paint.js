// Runs before the first paint, to avoid a flash of the wrong theme or shell.
(() => {
    const root = document.documentElement;
    root.dataset.entry = /^\/(sign-in|join)$/.test(location.pathname) ? 'signed-out' : 'signed-in';
    try {
        const theme = localStorage.getItem('reelsd-theme');
        if (theme === 'light' || theme === 'dark') {
            root.dataset.theme = theme;
        }
    } catch {
        // Without storage, the system's theme applies.
    }
})();
