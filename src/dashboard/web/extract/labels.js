// Labels and shapes of extracted values. No DOM, so that Node can test this file.

const COLUMNS_MAX = 5;

/** A name of a schema as a label: `recipeIngredient` and `recipe_ingredient` are `Recipe ingredient`. */
export function labelOf(name) {
    const words = name.replaceAll('_', ' ').replace(/([a-z\d])([A-Z])/g, '$1 $2')
        .replace(/([A-Z]+)([A-Z][a-z])(?=[a-z])/g, '$1 $2').trim().split(/\s+/)
        .map((word) => /^[A-Z]{2,}s?$/.test(word) ? word : word.toLowerCase()).join(' ');
    return words.charAt(0).toUpperCase() + words.slice(1);
}

function isObject(value) {
    return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isEmpty(value) {
    return value === null || value === undefined || value === ''
        || (Array.isArray(value) && value.length === 0);
}

/** The columns of a list as a table: the members of its objects, if all are simple and few; null for other lists. */
export function columnsOf(list) {
    if (list.length === 0 || !list.every(isObject)) {
        return null;
    }
    const names = [...new Set(list.flatMap((entry) => Object.keys(entry)))]
        .filter((name) => list.some((entry) => !isEmpty(entry[name])));
    const isSimple = list.every((entry) => Object.values(entry).every((value) => value === null || typeof value !== 'object'));
    return isSimple && names.length > 0 && names.length <= COLUMNS_MAX ? names : null;
}

/** How a value is shown: `none`, `text`, `list`, `table`, `objects` or `object`. */
export function shapeOf(value) {
    if (isEmpty(value)) {
        return 'none';
    }
    if (Array.isArray(value)) {
        if (columnsOf(value) !== null) {
            return 'table';
        }
        return value.some((entry) => entry !== null && typeof entry === 'object') ? 'objects' : 'list';
    }
    return isObject(value) ? 'object' : 'text';
}

/** A simple value as text; an ISO 8601 duration below a day as `1 h 25 min`. */
export function textOf(value) {
    if (typeof value === 'boolean') {
        return value ? 'yes' : 'no';
    }
    const duration = typeof value === 'string' && /^PT(?=\d)(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,4})S)?$/.exec(value);
    if (duration) {
        return [duration[1] && `${duration[1]} h`, duration[2] && `${duration[2]} min`, duration[3] && `${duration[3]} s`].filter(Boolean).join(' ');
    }
    return isEmpty(value) ? 'none' : String(value);
}
