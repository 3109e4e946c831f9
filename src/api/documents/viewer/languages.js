// The language of samples: one choice for the guides and the requests, kept by the viewer.
import { showErrorCodes } from './responses.js';
import { followSections } from './sections.js';

export const LANGUAGE_NAMES = { sh: 'curl', python: 'Python', javascript: 'JavaScript', json: 'JSON', http: 'HTTP' };

const CLIENT_KEY = 'scalar-reference-selected-client-v2'; // Of the viewer.
const CLIENTS = { sh: 'custom/shell', python: 'custom/python', javascript: 'custom/javascript' };
const CHOSEN_EVENT = 'workspace:update:selected-client'; // Of the viewer.

let viewerEvents = null;

function languageOf(client) {
    return Object.keys(CLIENTS).find((language) => CLIENTS[language] === client) ?? 'sh';
}

/** Makes curl the choice of a reader who has not chosen one of our languages. */
export function keepChoiceValid() {
    localStorage.setItem(CLIENT_KEY, CLIENTS[languageOf(localStorage.getItem(CLIENT_KEY))]);
}

/** Shows the samples in a language, or the first one where they do not have it. */
function show(language) {
    for (const group of document.querySelectorAll('.samples')) {
        const samples = [...group.querySelectorAll(':scope > pre')];
        const shown = samples.find((sample) => sample.dataset.lang === language) ?? samples[0];
        for (const sample of samples) {
            sample.hidden = sample !== shown;
        }
        for (const button of group.querySelectorAll('.languages > button')) {
            button.setAttribute('aria-pressed', String(button.dataset.lang === shown.dataset.lang));
        }
    }
}

/** Shows the samples in a language from now on. The button that was used stays where it is on the screen. */
function choose(language, button) {
    const { top } = button.getBoundingClientRect();
    localStorage.setItem(CLIENT_KEY, CLIENTS[language]);
    show(language);
    viewerEvents?.emit(CHOSEN_EVENT, CLIENTS[language]);
    scrollBy({ top: button.getBoundingClientRect().top - top, behavior: 'instant' });
}

function switchOf(samples) {
    const group = document.createElement('div');
    Object.assign(group, { className: 'languages', role: 'group', ariaLabel: 'Language of the samples' });
    group.append(...samples.map(({ dataset: { lang } }) => {
        const button = Object.assign(document.createElement('button'), { type: 'button', textContent: LANGUAGE_NAMES[lang] });
        button.dataset.lang = lang;
        button.addEventListener('click', () => choose(lang, button));
        return button;
    }));
    return group;
}

/** Puts samples of guides that follow each other in several languages into one place with a switch. */
export function addSwitches() {
    let isChanged = false;
    for (const first of document.querySelectorAll('.introduction-description .markdown > pre')) {
        const samples = [];
        for (let sample = first; sample?.matches('pre'); sample = sample.nextElementSibling) {
            const language = /language-(\w+)/.exec(sample.firstElementChild.className)?.[1];
            if (!CLIENTS[language] || samples.some(({ dataset }) => dataset.lang === language)) {
                break;
            }
            sample.dataset.lang = language;
            samples.push(sample);
        }
        if (samples.length > 1 && first.parentElement.matches('.markdown')) {
            const group = Object.assign(document.createElement('div'), { className: 'samples' });
            first.before(group);
            group.append(switchOf(samples), ...samples);
            isChanged = true;
        }
    }
    if (isChanged) {
        show(languageOf(localStorage.getItem(CLIENT_KEY)));
    }
}

/**
 * Gives the requests of the loaded viewer their samples and the codes of errors, and follows the choice of a language
 * and the scrolling there. The viewer exposes its store and its events for tests. In the document, `x-codeSamples` would
 * lose the names of examples.
 */
export function connect(viewer, samples) {
    const { eventBus, workspaceStore } = viewer._vnode.component.subTree.component.exposed;
    viewerEvents = eventBus;
    viewerEvents.on(CHOSEN_EVENT, (client) => show(languageOf(client)));
    followSections(viewerEvents);
    const [{ paths }] = Object.values(workspaceStore.workspace.documents);
    for (const operation of Object.values(paths).flatMap(Object.values)) {
        if (samples?.[operation.operationId]) {
            operation['x-codeSamples'] = samples[operation.operationId];
            showErrorCodes(operation);
        }
    }
}
