// The section of a reel with the values that its submission asked for.
import { html, useState } from 'htm/preact/standalone';
import { Icon } from '../ui/icons.js';
import { JsonBox } from '../ui/json_text.js';
import { Tabs } from '../ui/tabs.js';
import { Recipe } from './recipe.js';
import { isRecipe } from './recipe_data.js';
import { Members } from './value.js';

/** The extracted values as a form and as JSON, or why there are none. */
export function Extract({ reel }) {
    const { extract, extract_error: problem, result } = reel;
    const [shown, setShown] = useState('form');
    if (problem) {
        return html`<div class="note note-warn">
            <${Icon} name="warning" />
            <div class="note-body"><h2>The model gave no valid answer in the requested form</h2>
                <p class="foreign">${problem}</p></div>
        </div>`;
    }
    if (!extract) {
        return null;
    }
    const isDish = isRecipe(extract);
    const form = isDish ? html`<${Recipe} recipe=${extract} post=${result.platform_meta} />`
        : html`<${Members} value=${extract} />`;
    const json = html`<${JsonBox} value=${extract} label="Extracted JSON" what="the extracted JSON" />`;
    return html`<section class=${`section extract ${isDish ? 'extract-recipe' : ''}`} aria-labelledby="extract">
        <div class="section-head flow"><h2 id="extract">${isDish ? 'Recipe' : 'Extracted'}</h2></div>
        <${Tabs} label="View of the extracted values" shown=${shown} onShow=${setShown}
            tabs=${[['form', 'Form', form], ['json', 'JSON', json]]} />
    </section>`;
}
