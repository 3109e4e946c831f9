// Runs before the first paint, so that a chosen theme does not flash up late and the right shell shows.
(() => {
    const root = document.documentElement;
    root.dataset.entry = /^\/(sign-in|join)$/.test(location.pathname) ? 'door' : 'house';
    try {
        const theme = localStorage.getItem('reelsd-theme');
        if (theme === 'light' || theme === 'dark') {
            root.dataset.theme = theme;
        }
    } catch {
        // Without storage the system's theme it is.
    }
})();
