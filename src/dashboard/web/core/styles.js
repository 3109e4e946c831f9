// Style sheets of pages that are not the first.

const sheets = new Map(); // Name to the promise of its coming.

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

/** The module once it and the sheets `names`, below `styles`, are there: a page never shows undressed. */
export async function withStyles(module, ...names) {
    for (const name of names) {
        if (!sheets.has(name)) {
            sheets.set(name, load(name));
        }
    }
    const [loaded] = await Promise.all([module, ...names.map((name) => sheets.get(name))]);
    return loaded;
}
