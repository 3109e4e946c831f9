// The menu of copies and files of a result.
import { html } from 'htm/preact/standalone';
import { copyAndReport } from '../ui/copy.js';
import { Icon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';
import { markdownOf, transcriptText } from './markdown.js';
import { copyLink } from './share.js';

function CopyItem({ label, copy }) {
    return html`<button class="menu-item" type="button" onClick=${copy}><${Icon} name="copy" />${label}</button>`;
}

function FileItem({ label, address, name }) {
    return html`<a class="menu-item" href=${address} download=${name}><${Icon} name="download" />${label}</a>`;
}

/** `reel` is done; `headline` is its title. */
export function Export({ reel, headline }) {
    const path = `/dashboard/api/reels/${reel.id}`;
    const transcript = transcriptText(reel.result.audio);
    return html`<${Menu} label="Export">
        <${CopyItem} label="Copy link" copy=${() => copyLink(reel.id)} />
        ${transcript && html`<${CopyItem} label="Copy the transcript" copy=${() => copyAndReport(transcript, 'the transcript')} />`}
        <${CopyItem} label="Copy as Markdown" copy=${() => copyAndReport(markdownOf(reel, headline), 'the reel as Markdown')} />
        <${FileItem} label="JSON" address=${path} name=${`reel-${reel.id}.json`} />
        <${FileItem} label="Subtitles, SRT" address=${`${path}/subtitles.srt`} name=${true} />
        <${FileItem} label="Subtitles, WebVTT" address=${`${path}/subtitles.vtt`} name=${true} />
    <//>`;
}
