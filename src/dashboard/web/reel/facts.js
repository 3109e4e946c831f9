// A result's sections in readable form.
import { html } from 'htm/preact/standalone';
import { formatBytes, formatCount } from '../text/numbers.js';
import { formatTimecode } from '../text/times.js';
import { Time } from '../ui/time.js';
import { platformLink } from './links.js';
import { optionWords } from './option_words.js';

const isMissing = (value) => value === null || value === undefined || value === '';

/** One fact; nothing if unknown. */
function Fact({ name, children }) {
    return isMissing(children) ? null : html`<div>
        <dt>${name}</dt><dd class="foreign" dir="auto">${children}</dd></div>`;
}

function Words({ name, words, sign = '' }) {
    return words.length === 0 ? null : html`<div><dt>${name}</dt>
        <dd class="words flow">${words.map((word, index) =>
            html`<span key=${index} class="word foreign" dir="auto">${sign}${word}</span>`)}</dd></div>`;
}

function Section({ title, children }) {
    return html`<section class="section fact-section" aria-label=${title}>
        <h2>${title}</h2><dl class="fact-list">${children}</dl></section>`;
}

function languageName(code) {
    try {
        return code && new Intl.DisplayNames('en', { type: 'language' }).of(code);
    } catch {
        return code; // An invalid language code is shown unchanged.
    }
}

function Content({ content, metadata }) {
    return html`<${Section} title="Content">
        <${Words} name="Topics" words=${content.topics} />
        ${content.hooks.length > 0 && html`<${Fact} name="Hooks">
            <ul>${content.hooks.map((hook, index) => html`<li key=${index}>${hook}</li>`)}</ul><//>`}
        <${Fact} name="Call to action">${content.call_to_action}<//>
        <${Fact} name="Format">${metadata.format}<//>
        <${Fact} name="Sentiment">${metadata.sentiment}<//>
        <${Fact} name="Audience">${metadata.target_audience}<//>
    <//>`;
}

function Picture({ visual, metadata }) {
    return html`<${Section} title="Picture">
        ${metadata.model.provider === 'local' && html`<div><dt>Note</dt>
            <dd class="muted">Analysed without a model: nothing in the picture is named.</dd></div>`}
        <${Fact} name="Description">${visual.description}<//>
        <${Fact} name="Setting">${visual.setting}<//>
        <${Words} name="Subjects" words=${visual.subjects} />
    <//>`;
}

function Sound({ audio }) {
    return html`<${Section} title="Sound">
        <${Fact} name="Language">${languageName(audio.language)}<//>
        <${Fact} name="Music">${audio.has_music ? audio.music_description || 'yes' : 'none'}<//>
        ${audio.segments.length === 0 && html`<${Fact} name="Transcript">${audio.transcript || 'No speech was recognised.'}<//>`}
    <//>`;
}

function Post({ post }) {
    const link = platformLink(post.url);
    const counts = [[post.like_count, 'likes'], [post.comment_count, 'comments'], [post.view_count, 'views']]
        .filter(([count]) => !isMissing(count)).map(([count, word]) => `${formatCount(count)} ${word}`);
    const music = [post.music_title, post.music_artist].filter((one) => !isMissing(one)).join(', by ');
    return html`<${Section} title="Post">
        ${post.author && html`<${Fact} name="Author">${post.author_name ? `${post.author_name} (${post.author})` : post.author}
            ${post.author_verified ? html` <span class="muted">verified</span>` : null}<//>`}
        ${post.caption && html`<div><dt>Caption</dt>
            <dd class="foreign caption" dir="auto">${post.caption}</dd></div>`}
        <${Words} name="Hashtags" words=${post.hashtags} sign="#" />
        <${Words} name="Mentions" words=${post.mentions} sign="@" />
        <${Fact} name="Counts">${counts.join(', ')}<//>
        <${Fact} name="Music">${music}<//>
        <${Fact} name="Place">${post.location}<//>
        ${post.posted_at && html`<${Fact} name="Posted"><${Time} value=${post.posted_at} isAge=${false} /><//>`}
        <${Fact} name="Link">${link
            ? html`<a href=${link} rel="noreferrer">${post.url}</a>` : post.url}<//>
    <//>`;
}

function File({ metadata, options }) {
    const codecs = [metadata.video_codec, metadata.audio_codec ?? 'no sound'].join(', ');
    return html`<${Section} title="File">
        <${Fact} name="Length">${formatTimecode(metadata.duration_seconds, true)}<//>
        <${Fact} name="Dimensions">${`${metadata.width} × ${metadata.height}, `
            + `${Number(metadata.frame_rate.toFixed(2))} frames per second`}<//>
        <${Fact} name="Codecs">${codecs}<//>
        <${Fact} name="Size">${formatBytes(metadata.size_bytes)}<//>
        <${Fact} name="Analysed by">${`${metadata.model.name} (${metadata.model.provider})`}<//>
        ${optionWords(options).map(([name, words]) => html`<${Fact} key=${name} name=${name}>${words}<//>`)}
        <${Fact} name="SHA-256"><code class="muted" title=${metadata.sha256}>${metadata.sha256.slice(0, 12)}…</code><//>
    <//>`;
}

/** The five sections of a result, except the parts that the timeline shows; `options` of its submission. */
export function Facts({ result, options }) {
    return html`<div class="fact-columns">
        <${Content} content=${result.content} metadata=${result.metadata} />
        <${Picture} visual=${result.visual} metadata=${result.metadata} />
        <${Sound} audio=${result.audio} />
        <${Post} post=${result.platform_meta} />
        <${File} metadata=${result.metadata} options=${options} />
    </div>`;
}
