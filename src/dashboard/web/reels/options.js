// The options of a submission: what to extract, language, instructions, analyzer.
import { html, useEffect, useRef } from 'htm/preact/standalone';
import { get } from '../core/api.js';
import { labelOf } from '../extract/labels.js';
import { Field, SelectField, TextField } from '../ui/field.js';
import { useLoading } from '../ui/loading.js';
import { FailureNote } from '../ui/notes.js';
import { hasModel, optionOfMessage, OWN_SCHEMA, schemaProblem } from './option_members.js';

const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'hi', 'id', 'it', 'ja', 'ko', 'nl', 'pl', 'pt-BR', 'ru', 'tr', 'uk', 'zh'];
const ANALYZER_WORDS = { local: 'built-in, without a model' };

function languageName(code) {
    return new Intl.DisplayNames('en', { type: 'language' }).of(code);
}

/** The choice of presets, which the server lists. */
function ExtractField({ fields, error, onFields }) {
    const { data, error: loadError, reload } = useLoading((signal) => get('/extract-presets', signal), []);
    const presets = (data ?? []).map(({ name }) => [name, labelOf(name)]);
    return loadError ? html`<${FailureNote} error=${loadError} onRetry=${reload} />`
        : html`<${SelectField} label="Extract" value=${fields.extract} error=${error}
            hint="Typed fields, in addition to the usual analysis." onValue=${(extract) => onFields({ extract })}
            options=${[['', 'Nothing'], ...presets, [OWN_SCHEMA, 'With my own schema']]} />`;
}

function AnalyzerField({ fields, analyzers, error, onFields }) {
    const options = analyzers.map((name) => [name, ANALYZER_WORDS[name] ? `${name}: ${ANALYZER_WORDS[name]}` : name]);
    return html`<${SelectField} label="Analyzer" value=${fields.analyzer} error=${error}
        onValue=${(analyzer) => onFields({ analyzer })} options=${[['', 'Server default'], ...options]} />`;
}

/** The fields of options that only models follow. */
function ModelFields({ fields, analyzers, errorOf, checks, onFields }) {
    const isOwn = fields.extract === OWN_SCHEMA;
    return html`
        <${ExtractField} fields=${fields} error=${isOwn ? null : errorOf('extract')} onFields=${onFields} />
        <${Field} label="Language of the analysis" value=${fields.language} error=${errorOf('language')}
            hint="Transcript and on-screen text stay as they are." placeholder="As in the reel, or de, pt-BR, …"
            list="option-languages" autocomplete="off" spellcheck=${false} maxlength="35"
            onValue=${(language) => onFields({ language })} />
        <datalist id="option-languages">${LANGUAGES.map((code) =>
            html`<option key=${code} value=${code}>${languageName(code)}</option>`)}</datalist>
        ${analyzers.length > 1 && html`<${AnalyzerField} fields=${fields} analyzers=${analyzers}
            error=${errorOf('analyzer')} onFields=${onFields} />`}
        ${isOwn && html`<${TextField} label="JSON Schema" value=${fields.schema} rows=${8} isCode
            error=${(checks > 0 ? schemaProblem(fields) : null) ?? errorOf('extract')}
            placeholder=${'{"type": "object", "properties": {"price": {"type": "number"}}}'}
            onValue=${(schema) => onFields({ schema })} />`}
        <${TextField} label="Instructions" value=${fields.instructions} rows=${2} maxlength="2000"
            error=${errorOf('instructions')} hint="What the model should pay attention to."
            onValue=${(instructions) => onFields({ instructions })} />`;
}

/**
 * The fields. `fields` are of option_members.js, `onFields` receives the changed ones; `analyzers` are the server's;
 * `message` is the server's error about an option. `checks` is the number of submissions that a problem of the schema has
 * prevented; each shows it and focuses its field.
 */
export function Options({ fields, analyzers, message, checks, onFields }) {
    const wrong = optionOfMessage(message);
    const errorOf = (name) => wrong === name ? message : null;
    const element = useRef(null);
    useEffect(() => {
        if (checks > 0) {
            element.current.querySelector('[aria-invalid="true"]')?.focus();
        }
    }, [checks]);
    return html`<div class="options" ref=${element}>${hasModel(analyzers)
        ? html`<${ModelFields} fields=${fields} analyzers=${analyzers} errorOf=${errorOf} checks=${checks}
            onFields=${onFields} />`
        : html`<p class="muted small">Extraction, language and instructions need a model; this server has none.</p>`}
    </div>`;
}
