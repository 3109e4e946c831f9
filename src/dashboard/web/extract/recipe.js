// A recipe: readable, printable, and for recipe managers.
import { html, useEffect, useMemo } from 'htm/preact/standalone';
import { CopyButton } from '../ui/copy.js';
import { Icon } from '../ui/icons.js';
import { labelOf, shapeOf, textOf } from './labels.js';
import { recipeFileName, recipeJsonLd, stepText } from './recipe_data.js';
import { Value } from './value.js';

const HEAD_MEMBERS = ['recipeYield', 'prepTime', 'cookTime', 'totalTime'];
const SHOWN_MEMBERS = ['name', 'description', 'recipeIngredient', 'recipeInstructions', ...HEAD_MEMBERS];

/** Prints the recipe alone; the browser's own command prints the whole page. */
function printRecipe() {
    const root = document.documentElement;
    root.dataset.printed = 'recipe';
    addEventListener('afterprint', () => delete root.dataset.printed, { once: true });
    print();
}

/** Saves a text as a file. */
function saveFile(text, name) {
    const address = URL.createObjectURL(new Blob([text], { type: 'application/ld+json' }));
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
}

/** JSON-LD in the page, for importers that read pages. A data block, which no browser runs. */
function useDataBlock(text) {
    useEffect(() => {
        const block = document.createElement('script');
        block.type = 'application/ld+json';
        block.textContent = text;
        document.head.append(block);
        return () => block.remove();
    }, [text]);
}

/** The recipe and its tools; `post` is the `platform_meta` of its reel. */
export function Recipe({ recipe, post }) {
    const text = useMemo(() => JSON.stringify(recipeJsonLd(recipe, post), null, 2), [recipe, post]);
    useDataBlock(text);
    const heads = HEAD_MEMBERS.filter((name) => shapeOf(recipe[name]) !== 'none');
    const rest = Object.entries(recipe)
        .filter(([name, value]) => !SHOWN_MEMBERS.includes(name) && shapeOf(value) !== 'none');
    return html`<div class="recipe stack">
        <h3 class="recipe-name foreign" dir="auto">${recipe.name}</h3>
        ${shapeOf(recipe.description) === 'text' && html`<p class="foreign" dir="auto">${recipe.description}</p>`}
        ${heads.length > 0 && html`<dl class="recipe-heads flow">${heads.map((name) => html`<div key=${name}>
            <dt>${labelOf(name.replace(/^recipe/, ''))}</dt>
            <dd class="foreign">${[recipe[name]].flat().map(textOf).join(', ')}</dd></div>`)}</dl>`}
        <div class="recipe-body">
            <section aria-label="Ingredients"><h4>Ingredients</h4>
                <ul class="bullets">${recipe.recipeIngredient.map((one, index) => html`<li key=${index}
                    class="foreign" dir="auto">${typeof one === 'string' ? one : one?.name}</li>`)}</ul></section>
            <section aria-label="Steps"><h4>Steps</h4>
                <ol class="recipe-steps">${recipe.recipeInstructions.map((step, index) => html`<li key=${index}
                    class="foreign" dir="auto">${stepText(step)}</li>`)}</ol></section>
        </div>
        ${rest.length > 0 && html`<dl class="fact-list">${rest.map(([name, value]) => html`<div key=${name}>
            <dt class="foreign">${labelOf(name)}</dt><dd><${Value} value=${value} label=${labelOf(name)} /></dd></div>`)}</dl>`}
        <p class="recipe-source small muted foreign">${post.author && `By ${post.author}. `}${post.url}</p>
        <div class="flow recipe-tools">
            <button class="button" type="button" onClick=${printRecipe}><${Icon} name="print" />Print the recipe</button>
            <${CopyButton} text=${text} what="the recipe as JSON-LD" label="Copy for recipe managers" />
            <button class="button" type="button" onClick=${() => saveFile(text, recipeFileName(recipe))}>
                <${Icon} name="download" />JSON-LD file</button>
        </div>
    </div>`;
}
