// A recipe in the form that recipe managers import. No DOM, so that Node can test this file.

const TYPE = { '@context': 'https://schema.org', '@type': 'Recipe' };

/** Whether an extracted value is a recipe of schema.org. */
export function isRecipe(value) {
    return typeof value?.name === 'string' && value.name !== ''
        && Array.isArray(value.recipeIngredient) && Array.isArray(value.recipeInstructions);
}

/** A step as text; steps are texts or objects with `text`. */
export function stepText(step) {
    return typeof step === 'string' ? step : String(step?.text ?? step?.name ?? '');
}

/** Removes members without a value, which importers would show as empty fields. */
function present(members) {
    return Object.fromEntries(Object.entries(members).filter(([, value]) =>
        value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)));
}

/** The JSON-LD of a recipe: its own members, each step as a HowToStep, and the author and link of its post. */
export function recipeJsonLd(recipe, post) {
    const link = /^https:/.test(post.url ?? '') ? post.url : null;
    const steps = recipe.recipeInstructions.map(stepText).filter((text) => text !== '');
    return present({
        ...TYPE, // First, for readers.
        ...recipe,
        ...TYPE,
        recipeIngredient: recipe.recipeIngredient.map((one) => typeof one === 'string' ? one : String(one?.name ?? '')),
        recipeInstructions: steps.map((text) => ({ '@type': 'HowToStep', text })),
        author: recipe.author ?? (post.author ? { '@type': 'Person', name: post.author_name || post.author } : null),
        url: recipe.url ?? link,
    });
}

/** A file name for a recipe: `garlic-noodles.json`. */
export function recipeFileName(recipe) {
    const words = recipe.name.normalize('NFKD').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
    return `${words.slice(0, 60) || 'recipe'}.json`;
}
