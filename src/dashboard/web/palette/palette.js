// The command palette: searches reels, goes to pages and runs actions.
import { html, useEffect, useMemo, useRef, useState } from 'htm/preact/standalone';
import { leave } from '../account/leave.js';
import { get } from '../core/api.js';
import { navigate } from '../core/navigation.js';
import { pathWithQuery } from '../core/routes.js';
import { useStore } from '../core/store.js';
import { switchTheme } from '../core/theme.js';
import { listStore, readNewest } from '../reels/list.js';
import { headlineOf } from '../reels/row.js';
import { submitLink } from '../reels/submissions.js';
import { setView, viewStore } from '../reels/view.js';
import { Dialog } from '../ui/dialog.js';
import { focusWhenThere } from '../ui/focus.js';
import { Icon } from '../ui/icons.js';
import { showSubmitBox } from '../ui/keys.js';
import { useLoading } from '../ui/loading.js';
import { openOverlay } from '../ui/overlay.js';
import { pageActionsStore } from '../ui/page_actions.js';
import { showToast } from '../ui/toast.js';
import { commandsFor, hitEntries, listedReels, numberedReel, pageEntries, reelNumber, searchEntry } from './commands.js';
import { Keys } from './shortcuts.js';

const HITS_MAX = 8;
const TYPING_MILLISECONDS = 200;

/** A reel as an item of the list has it. */
async function readReel(number, signal) {
    const { id, url, status, result } = await get(`/reels/${number}`, signal);
    return { id, url, status, summary: result?.content.summary, author: result?.platform_meta?.author };
}

/** The only entry for a number: that of its reel, `listed` or requested. */
function useNumbered(number, listed) {
    const known = listed.find(({ id }) => id === number) ?? null;
    const isAsked = number !== null && known === null;
    const { data, error } = useLoading((signal) => isAsked ? readReel(number, signal) : Promise.resolve(null), [number, isAsked]);
    const isMissing = isAsked && error?.status === 404;
    return {
        entries: isMissing ? [] : [numberedReel(number, known ?? data, headlineOf)],
        message: isMissing ? `There is no reel #${number}.` : null,
    };
}

/**
 * The reels for a text: recent ones without a text, the one with its number, otherwise those with its words in the title,
 * then the hits of a search.
 */
function useReels(text, number) {
    const [found, setFound] = useState({ text: '', hits: [] });
    const { data: own } = useLoading(readNewest, []);
    const numbered = useNumbered(number, own ?? listStore.get().reels);
    useEffect(() => {
        if (text === '' || number !== null) {
            return undefined;
        }
        const controller = new AbortController();
        const timer = setTimeout(async () => {
            try {
                const hits = await get(pathWithQuery('/reels/search', { q: text, limit: HITS_MAX }), controller.signal);
                setFound({ text, hits });
            } catch (error) {
                if (error.name !== 'AbortError') {
                    setFound({ text, hits: [], message: error.message });
                }
            }
        }, TYPING_MILLISECONDS);
        return () => {
            clearTimeout(timer);
            controller.abort();
        };
    }, [text]);
    if (number !== null) {
        return numbered;
    }
    const listed = listedReels(own ?? listStore.get().reels, text, headlineOf);
    if (text === '') {
        return { entries: listed, message: null };
    }
    // Hits for the previous text stay until the next ones are here, so that the list does not flicker.
    const hits = hitEntries(found.hits.filter(({ id }) => listed.every(({ value }) => value !== `/reels/${id}`)), headlineOf);
    return { entries: [...listed, ...hits], message: found.text === text ? found.message ?? null : null };
}

/** Opens a page, then focuses the element of `selector`. */
function goTo(path, selector) {
    navigate(path);
    setTimeout(focusWhenThere, 0, selector); // After the page has taken the focus.
}

const ACTIONS = {
    links: () => showSubmitBox('#submit-url'),
    upload: () => showSubmitBox('.picker button', (button) => button.click()),
    token: () => goTo('/tokens', '.token-form .input'),
    delete_failed: () => openOverlay('delete_failed'),
    documentation: () => location.assign('/docs/'),
    theme: switchTheme,
    view: () => setView(viewStore.get() === 'list' ? 'grid' : 'list'),
    shortcuts: () => openOverlay('shortcuts'),
    sign_out: leave,
};

async function run({ kind, value, run: runOwn }) {
    if (kind === 'own') {
        setTimeout(runOwn); // After the palette has given the focus back.
    } else if (kind === 'action') {
        ACTIONS[value]();
    } else if (kind === 'page') {
        navigate(value);
    } else {
        try {
            navigate(`/reels/${(await submitLink(value)).id}`);
        } catch (why) {
            if (why.name !== 'AbortError') { // The user has signed out.
                showToast(why.message, { isFailure: true });
            }
        }
    }
}

function Entry({ entry, id, isChosen, onRun }) {
    const element = useRef(null);
    useEffect(() => isChosen && element.current.scrollIntoView({ block: 'nearest' }), [isChosen]);
    return html`<li class="palette-entry foreign" dir="auto" role="option" id=${id} ref=${element}
        aria-selected=${String(isChosen)} onClick=${() => onRun(entry)}><span
            class=${entry.detail ? `palette-icon status-${entry.icon}` : 'palette-icon'}><${Icon} name=${entry.icon} /></span>
        <span class="palette-label cut">${entry.label}</span>
        ${entry.detail && html`<span class="palette-detail cut">${entry.detail}</span>`}
        ${entry.keys && html`<span class="palette-keys" aria-hidden="true"><${Keys} keys=${entry.keys} /></span>`}</li>`;
}

function Group({ title, entries, from, chosen, onRun }) {
    return entries.length > 0 && html`<li role="presentation"><p class="palette-title" aria-hidden="true">${title}</p>
        <ul role="group" aria-label=${title}>${entries.map((entry, index) => html`<${Entry} key=${entry.value}
            entry=${entry} id=${`entry-${from + index}`} isChosen=${from + index === chosen} onRun=${onRun} />`)}</ul>
    </li>`;
}

/** The dialog. */
export function Palette({ session, onClose }) {
    const [text, setText] = useState('');
    const [at, setAt] = useState(0);
    const commands = useMemo(() => commandsFor(text, session.account.is_admin), [text]);
    const number = reelNumber(text);
    const reels = useReels(text.trim(), number);
    const subject = useStore(pageActionsStore);
    const pages = ['Go to', commands.filter(({ kind }) => kind === 'page')];
    const actions = ['Actions', commands.filter(({ kind }) => kind !== 'page')];
    const own = [subject.title, pageEntries(subject.actions, text)];
    const found = ['Reels', reels.entries];
    const searched = text.trim() === '' ? [own, actions, pages, found]
        : [own, pages, actions, found, ['Search', [searchEntry(text.trim())]]];
    const groups = number === null ? searched : [found];
    const starts = groups.map((_, index) => groups.slice(0, index).reduce((sum, [, entries]) => sum + entries.length, 0));
    const all = groups.flatMap(([, entries]) => entries);
    const chosen = Math.min(at, all.length - 1);
    const start = (entry) => {
        onClose();
        run(entry);
    };
    const followKey = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step && all.length > 0) {
            event.preventDefault();
            setAt((chosen + step + all.length) % all.length);
        } else if (event.key === 'Enter' && !event.isComposing && all[chosen]) {
            event.preventDefault();
            start(all[chosen]);
        }
    };
    const type = (event) => {
        setText(event.target.value);
        setAt(0);
    };
    return html`<${Dialog} title="Search and go to" isBare onClose=${onClose}>
        <div class="palette-field"><${Icon} name="search" />
            <input class="input" type="text" role="combobox" aria-label="Search reels, pages and actions" autocomplete="off"
                aria-expanded="true" aria-controls="palette-list" spellcheck=${false} maxlength="500" autofocus
                aria-activedescendant=${all.length > 0 ? `entry-${chosen}` : undefined} value=${text}
                placeholder="Search reels, pages and actions" onInput=${type} onKeyDown=${followKey} />
        </div>
        <ul class="palette-list" id="palette-list" role="listbox" aria-label="Results" tabindex="-1">
            ${groups.map(([title, entries], index) => html`<${Group} key=${title} title=${title} entries=${entries}
                from=${starts[index]} chosen=${chosen} onRun=${start} />`)}
        </ul>
        ${reels.message && html`<p class="palette-none muted" role="status">${reels.message}</p>`}
    <//>`;
}
