// Another analysis of a reel, with other options.
import { html, useEffect, useState } from 'htm/preact/standalone';
import { request } from '../core/api.js';
import { navigate } from '../core/navigation.js';
import { useOptions } from '../reels/option_details.js';
import { fieldsOfOptions, isOptionError } from '../reels/option_members.js';
import { Options } from '../reels/options.js';
import { submitLink, submitVideo } from '../reels/submissions.js';
import { FormDialog } from '../ui/dialog.js';
import { useSubmission } from '../ui/field.js';
import { videoAddress } from './player.js';
import { isLink } from './retry.js';

/** Whether a reel can be analysed again: its link is known, or its video is kept. */
export function canBeAgain(reel) {
    const isRefused = reel.error_code === 'model_failed' && !reel.retryable; // Another analyzer may accept it.
    return (reel.status === 'done' || isRefused) && (isLink(reel.url) || videoAddress(reel) !== null);
}

/**
 * Submits a reel again; an uploaded video is sent once more, with what its upload told about the post. Resolves to the known
 * fields of the new reel.
 */
async function submitAgain(reel, members, signal) {
    if (isLink(reel.url)) {
        return submitLink(reel.url, members, signal);
    }
    const response = await request('GET', `/api/reels/${reel.id}/video`, undefined, { signal });
    const file = new File([await response.blob()], reel.url.replace(/^upload:/, ''), { lastModified: 0 });
    const { caption, author } = reel.result?.platform_meta ?? {};
    return submitVideo(file, '', { ...members, ...caption && { caption }, ...author && { author } }, () => {}, signal);
}

/** The dialog; the options of `reel` are chosen initially. */
export function AgainDialog({ reel, onClose }) {
    const [fields, setFields] = useState(fieldsOfOptions(reel.options));
    const options = useOptions(fields, setFields);
    const [closing] = useState(() => new AbortController());
    useEffect(() => () => closing.abort(), []);
    const submission = useSubmission(async () => {
        const members = options.members();
        if (members) {
            // Otherwise the result of a finished reel with the same options would be reused.
            const { id } = await submitAgain(reel, { fresh: true, ...members }, closing.signal);
            closing.signal.throwIfAborted();
            navigate(`/reels/${id}`);
        }
    });
    const { isBusy, error } = submission;
    const isOptionWrong = isOptionError(error);
    return html`<${FormDialog} title="Analyse again" submission=${submission} error=${isOptionWrong ? null : error}
            label=${isBusy ? 'Submitting…' : 'Analyse again'} onClose=${onClose} autofocus>
        <p class="muted">The new analysis is a separate reel, which you can compare with this one.${' '}
            ${videoAddress(reel) && 'The kept video is used, without a request to the platform.'}</p>
        <${Options} ...${options.shown} message=${isOptionWrong ? error.message : null} />
    <//>`;
}
