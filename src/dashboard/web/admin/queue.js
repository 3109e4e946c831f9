// The queue and the work in progress, refreshed while the page is visible.
import { html } from 'htm/preact/standalone';
import { shortLink } from '../reels/row.js';
import { stepWords } from '../reels/labels.js';
import { formatLength } from '../text/times.js';

function Figure({ name, children }) {
    return html`<div><p class="figure-name">${name}</p><p class="figure">${children}</p></div>`;
}

function Running({ job }) {
    const seconds = (Date.now() - Date.parse(job.started_at)) / 1000;
    return html`<tr>
        <td class="number-like" data-label="Reel">${job.id}</td>
        <td class="foreign" data-label="Link">${shortLink(job.url)}</td>
        <td class="foreign" data-label="Account">${job.email}</td>
        <td class="foreign" data-label="Worker"><code title=${job.worker}>${job.worker.split(':')[0]}</code></td>
        <td data-label="Step">${stepWords(job.step) || html`<span class="muted">starting</span>`}</td>
        <td class="number" data-label="Attempt">${job.attempt}</td>
        <td class="number" data-label="For">${formatLength(seconds)}</td>
    </tr>`;
}

/** `overview` is the daemon's response. */
export function Queue({ overview }) {
    const { queue, running, workers } = overview;
    return html`<section aria-labelledby="queue">
        <h2 class="unseen" id="queue">Queue</h2>
        <div class="totals">
            <${Figure} name="Waiting">${queue.pending}<//>
            <${Figure} name="Due now">${queue.due}<//>
            <${Figure} name="Processing">${queue.processing}<//>
            <${Figure} name="Longest wait">${queue.due > 0
                ? formatLength(queue.oldest_due_seconds ?? 0) : '–'}<//>
            <${Figure} name="Workers busy">${workers.busy} <span class="muted">of ${workers.configured}</span><//>
        </div>
        ${running.length === 0
            ? html`<p class="padded muted">No jobs are running.</p>`
            : html`<div class="table-frame" tabindex="0" role="region" aria-label="Running jobs">
                <table class="table table-cards">
                    <thead><tr><th scope="col">Reel</th><th scope="col">Link</th><th scope="col">Account</th>
                        <th scope="col">Worker</th><th scope="col">Step</th>
                        <th scope="col" class="number">Attempt</th><th scope="col" class="number">For</th>
                    </tr></thead>
                    <tbody>${running.map((job) => html`<${Running} key=${job.id} job=${job} />`)}</tbody>
                </table></div>`}
    </section>`;
}
