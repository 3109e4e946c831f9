// Style sheets of lazily loaded pages.

const sheets = new Map(); // Loading promises by name.

function load(name) {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = `/assets/styles/${name}`;
    const isHere = new Promise((resolve, reject) => {
        link.onload = resolve;
        link.onerror = () => {
            link.remove();
            sheets.delete(name);
            reject(new Error(`${name} could not be loaded`));
        };
    });
    document.head.append(link);
    return isHere;
}

/** Resolves to the module once it and the sheets `names` have loaded, so that no page shows unstyled. */
export async function withStyles(module, ...names) {
    for (const name of names) {
        if (!sheets.has(name)) {
            sheets.set(name, load(name));
        }
    }
    const [loaded] = await Promise.all([module, ...names.map((name) => sheets.get(name))]);
    return loaded;
}
