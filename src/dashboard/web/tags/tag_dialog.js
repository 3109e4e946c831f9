// Adds tags to several reels, and removes tags from them.
import { html, useState } from 'htm/preact/standalone';
import { countOf } from '../text/numbers.js';
import { FormDialog } from '../ui/dialog.js';
import { Check, Field, useSubmission } from '../ui/field.js';
import { useLoading } from '../ui/loading.js';
import { showToast } from '../ui/toast.js';
import { changeTags, readTags, tagsIn } from './tags.js';

/** `reels` are of the list. */
export function TagDialog({ reels, onClose }) {
    const [text, setText] = useState('');
    const [removed, setRemoved] = useState([]);
    const present = [...new Set(reels.flatMap(({ tags }) => tags ?? []))].sort();
    const submission = useSubmission(async () => {
        await changeTags(reels.map(({ id }) => id), tagsIn(text), removed);
        showToast(`Changed the tags of ${countOf(reels.length, 'reel')}.`);
        onClose();
    });
    const { data: known } = useLoading(readTags, []);
    const finished = text.slice(0, text.lastIndexOf(',') + 1); // The tags before the one that is typed.
    const toggle = (tag) => (isOn) => setRemoved(isOn ? [...removed, tag] : removed.filter((one) => one !== tag));
    const hasChange = tagsIn(text).length > 0 || removed.length > 0;
    return html`<${FormDialog} title=${`Tags of ${countOf(reels.length, 'reel')}`} submission=${submission}
            label="Change tags" onClose=${onClose} disabled=${submission.isBusy || !hasChange}>
        <${Field} label="Add" hint="Separate several tags with commas." autocomplete="off" maxlength="400"
            list="known-tags" value=${text} onValue=${setText} />
        <datalist id="known-tags">${known?.map(({ tag }) => html`<option key=${tag} value=${`${finished}${tag}`} />`)}</datalist>
        ${present.length > 0 && html`<fieldset class="stack"><legend class="label">Remove</legend>
            ${present.map((tag) => html`<${Check} key=${tag} label=${tag} isOn=${removed.includes(tag)}
                onValue=${toggle(tag)} />`)}</fieldset>`}
    <//>`;
}
