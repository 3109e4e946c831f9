// A result as text for other programs. No DOM, so that Node can test this file.
import { formatTimecode } from '../text/times.js';

/** A transcript as plain text: a line for each segment, or the whole text without segments. */
export function transcriptText({ segments, transcript }) {
    return segments.length > 0 ? segments.map(({ text }) => text).join('\n') : transcript ?? '';
}

/** Text of others in one line of Markdown, without a meaning as markup. */
function escaped(text) {
    return text.replace(/\s+/g, ' ').trim().replace(/[\\`*_[\]<>#|~]/g, '\\$&');
}

function section(title, lines) {
    return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
}

function timedLines(entries, textOf) {
    return entries.map((entry) => `- ${formatTimecode(entry.seconds ?? entry.start_seconds)} ${escaped(textOf(entry))}`);
}

/** A done reel as Markdown; `headline` is its title. */
export function markdownOf(reel, headline) {
    const { content, audio, visual, platform_meta: post } = reel.result;
    const by = [post.author && `by ${escaped(post.author)}`, `<${post.url ?? reel.url}>`].filter(Boolean).join(', ');
    return [
        `# ${escaped(headline)}`, '', by,
        ...section('Key moments', timedLines(content.key_moments, ({ description }) => description)),
        ...section('Speech', audio.segments.length > 0 ? timedLines(audio.segments, ({ text }) => text)
            : audio.transcript ? [escaped(audio.transcript)] : []),
        ...section('On screen', timedLines(visual.text_segments, ({ text }) => text)),
        ...section('Picture', visual.description ? [escaped(visual.description)] : []),
        ...section('Topics', content.topics.length > 0 ? [escaped(content.topics.join(', '))] : []),
        '',
    ].join('\n');
}
