// Shows the API document of this server with its guides, or the guides for operators, and nothing else.
import { fetchDocument, fetchGuides, fetchSamples, joined, PAGE, PLACEHOLDERS } from './guides.js';
import { addSwitches, connect, keepChoiceValid, LANGUAGE_NAMES } from './languages.js';
import { addSearch, element } from './search.js';

const TOKEN_KEY = 'reelsd-docs-token';
const THEME_KEY = 'reelsd-theme'; // As in the dashboard.
// The operations of a reel, first of their group. All others are in the document's order.
const FIRST = ['post /api/v1/reels/analyze', 'get /api/v1/reels/{id}', 'get /api/v1/reels', 'get /api/v1/reels/search',
    'get /api/v1/reels/usage', 'delete /api/v1/reels/{id}'];
const TOKEN_SECONDS = 24 * 3600; // A forgotten one does no harm for long.
const COPIED_MILLISECONDS = 2000;
const COMPLETIONS = [
    // Samples and tables may be wider than their column: they must be reachable to be scrolled.
    ['.markdown :is(pre > code, table):not([tabindex])', { tabindex: '0' }],
    ['input[role="combobox"]:not([aria-expanded])', { 'aria-expanded': 'true' }],
    ['.code-input-lite__editor[role="combobox"]', { role: 'textbox' }],
    ['.cm-content:not([aria-label])', { 'aria-label': 'Code' }],
    ['[role="dialog"] button[aria-haspopup="menu"]:not([title])', { title: 'Choose a value' }], // Its name while it is empty.
    ['.cm-scroller[tabindex="-1"]', { tabindex: '0' }],
    ['button[role="none"]', { role: 'button' }],
    ['.response-card[role="region"]', { role: 'group' }],
    ['section[aria-label^="Notifications"]:not([role])', { role: 'group' }],
];

const FILL_TITLE = 'Creates a token for all samples. It expires after a day, and this tab forgets it when it is closed.';

let lastFocused = null; // Outside of dialogs.
let fillToken = null; // Creates a token for the samples; null if they have one, or without a session.
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

/** Resolves to the dashboard's session, or null when signed out. */
async function loadSession() {
    const answer = await fetch('/dashboard/api/session');
    return answer.ok ? answer.json() : null;
}

/** Sends a change to the dashboard's API; resolves to the response's JSON, or null without a body. */
async function change(session, method, path, body) {
    const answer = await fetch(`/dashboard/api${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': session.csrf_token },
        body: body && JSON.stringify(body),
    });
    if (!answer.ok) {
        const { message, error } = await answer.json();
        throw new Error(message ?? error);
    }
    return answer.status === 204 ? null : answer.json();
}

/** The token of this tab, `{account, id, token}`; null without one, or when it is another account's. */
function readToken(session) {
    const stored = JSON.parse(sessionStorage.getItem(TOKEN_KEY));
    if (stored && stored.account !== session?.account.id) {
        sessionStorage.removeItem(TOKEN_KEY); // The next user of this tab must not see it.
        return null;
    }
    return stored;
}

/** Shows the page again in the same place, with or without a token in its samples. */
function storeToken(token) {
    if (token) {
        sessionStorage.setItem(TOKEN_KEY, JSON.stringify(token));
    } else {
        sessionStorage.removeItem(TOKEN_KEY);
    }
    location.reload();
}

async function createToken(session) {
    const name = `API reference, ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
    const { id, token } = await change(session, 'POST', '/tokens', { name, expires_in_seconds: TOKEN_SECONDS });
    storeToken({ account: session.account.id, id, token });
}

async function revokeToken(session, { id }) {
    await change(session, 'DELETE', `/tokens/${id}`);
    storeToken(null);
}

function button(label, title, run) {
    const created = element('button', { type: 'button', className: 'bar-button', title }, label);
    created.addEventListener('click', async () => {
        created.disabled = true;
        try {
            await run();
        } catch (error) {
            created.disabled = false;
            document.getElementById('token').append(` ${error.message}`);
        }
    });
    return created;
}

function showToken(session, token) {
    const place = document.getElementById('token');
    place.hidden = PAGE !== 'index.html';
    fillToken = session && !token ? () => createToken(session) : null;
    if (token) {
        const shown = element('code', {}, `${token.token.slice(0, 12)}…`);
        place.replaceChildren(shown, button('Revoke', 'Revoke the token that the samples contain', () => revokeToken(session, token)));
    } else if (session) {
        place.replaceChildren(button('Fill in a token', FILL_TITLE, fillToken));
    } else {
        place.replaceChildren(element('a', { href: '/sign-in', className: 'bar-button' }, 'Sign in'));
    }
}

function isDark() {
    return (document.documentElement.dataset.theme ?? (systemIsDark.matches ? 'dark' : 'light')) === 'dark';
}

function showTheme() {
    document.body.classList.toggle('dark-mode', isDark());
    document.body.classList.toggle('light-mode', !isDark());
    const label = `Switch to ${isDark() ? 'light' : 'dark'} colours`;
    Object.assign(document.getElementById('theme'), { textContent: isDark() ? '☀' : '☾', ariaLabel: label, title: label });
}

/** Switches the theme, for the dashboard as well, and stores the choice unless it is the system's theme. */
function switchTheme() {
    const next = isDark() ? 'light' : 'dark';
    if ((next === 'dark') === systemIsDark.matches) {
        delete document.documentElement.dataset.theme;
        localStorage.removeItem(THEME_KEY);
    } else {
        document.documentElement.dataset.theme = next;
        localStorage.setItem(THEME_KEY, next);
    }
    showTheme();
}

/**
 * Lets the viewer keep its styles under a security policy without inline styles. The text of a style element becomes a
 * constructed sheet, and a style attribute becomes declarations. In markup, it is dropped: there the viewer uses it for
 * the width of line numbers only.
 */
function applyStylesByScript() {
    const sheets = new WeakMap();
    Object.defineProperty(HTMLStyleElement.prototype, 'textContent', {
        set(text) {
            if (!sheets.has(this)) {
                sheets.set(this, new CSSStyleSheet());
                document.adoptedStyleSheets.push(sheets.get(this));
            }
            sheets.get(this).replaceSync(text);
        },
    });
    HTMLStyleElement.prototype.appendChild = function append(child) {
        this.textContent = child.data;
        return child;
    };
    const { setAttribute } = Element.prototype;
    Element.prototype.setAttribute = function set(name, value) {
        if (name === 'style') {
            this.style.cssText = value;
        } else {
            setAttribute.call(this, name, value);
        }
    };
    const markup = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
    Object.defineProperty(Element.prototype, 'innerHTML', {
        ...markup,
        set(text) {
            if (this instanceof HTMLStyleElement) {
                this.textContent = text;
            } else {
                markup.set.call(this, String(text).replaceAll(/(<code[^>]*?) style="[^"]*"/g, '$1'));
            }
        },
    });
}

/** Sends a tried request. Without a token, it has the rights of the signed-in session. */
function sendAs(session) {
    return async (input, options) => {
        const request = new Request(input, options);
        const { method, headers, signal } = request;
        const url = new URL(request.url);
        const isOurs = url.origin === location.origin && url.pathname.startsWith('/api/v1/');
        const hasToken = /^bearer \S/i.test(headers.get('Authorization') ?? '');
        if (!isOurs || hasToken || !session) {
            return fetch(request);
        }
        headers.delete('Authorization');
        headers.set('X-CSRF-Token', session.csrf_token);
        url.pathname = url.pathname.replace('/api/v1/', '/dashboard/api/');
        const body = method === 'GET' || method === 'HEAD' ? undefined : await request.blob();
        return fetch(url, { method, headers, body, signal });
    };
}

/** A button that copies a sample, also over plain HTTP, where the clipboard API is missing. */
function copyButton(sample) {
    const created = element('button', { type: 'button', className: 'copy', ariaLabel: 'Copy the sample' }, 'Copy');
    created.addEventListener('click', () => {
        getSelection().selectAllChildren(sample);
        const isCopied = document.execCommand('copy');
        Object.assign(created, { textContent: isCopied ? 'Copied' : 'Press Ctrl+C', ariaLabel: null });
        setTimeout(() => Object.assign(created, { textContent: 'Copy', ariaLabel: 'Copy the sample' }), COPIED_MILLISECONDS);
    });
    return created;
}

/**
 * Takes the page behind the open dialog of a request out of reach. This also hides its `main` from screen readers while
 * the dialog has another one. The focus returns to where it was.
 */
function shieldBackground() {
    const isOpen = document.querySelector('.scalar-client--open') !== null;
    const covered = document.querySelectorAll('.references-rendered, .t-doc__sidebar, .bar');
    const wasOpen = [...covered].some((element) => element.inert);
    for (const element of covered) {
        element.inert = isOpen;
    }
    if (wasOpen && !isOpen) {
        lastFocused?.focus({ preventScroll: true });
    }
}

/** Adds a button to each sample that has no token yet. */
function addFillButtons() {
    const samples = document.querySelectorAll('.introduction-description pre, .request-card');
    for (const sample of fillToken ? samples : []) {
        const head = sample.matches('pre') ? sample : sample.querySelector('.request-card-footer');
        if (sample.textContent.includes(PLACEHOLDERS.token) && !sample.querySelector('.fill')) {
            const fill = button('Fill in a token', FILL_TITLE, fillToken);
            fill.className = 'fill';
            head?.append(fill);
        }
    }
}

/** Ends the first screen once the viewer shows its own. */
function endFirstScreen() {
    const screen = document.getElementById('first-screen');
    if (screen && document.querySelector('.introduction-description-heading')) {
        screen.remove();
    }
}

/** Completes what the viewer leaves out for the keyboard and for screen readers, and copy buttons in guides. */
function completePage() {
    endFirstScreen();
    for (const [selector, attributes] of COMPLETIONS) {
        for (const element of document.querySelectorAll(selector)) {
            Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
        }
    }
    for (const sample of document.querySelectorAll('.introduction-description pre:not(:has(> .copy)) > code')) {
        const language = /language-(\w+)/.exec(sample.className)?.[1];
        sample.parentElement.dataset.language = LANGUAGE_NAMES[language] ?? language;
        sample.parentElement.append(copyButton(sample));
    }
    addSwitches();
    addFillButtons();
    // The body of a request is shown before its headers.
    for (const title of document.querySelectorAll('.operation-details > :not([data-part]) > h4')) {
        if (title.textContent.trim() === 'Headers') {
            title.parentElement.dataset.part = 'headers';
        }
    }
    for (const table of document.querySelectorAll('.introduction-description table:not(:has([data-label]))')) {
        const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
        for (const cell of table.querySelectorAll('td')) {
            cell.dataset.label = heads[cell.cellIndex];
        }
        // Causes and remedies need the whole width; tables of fields leave the place of the samples free.
        table.classList.toggle('wide', heads.length === 3 && heads[0] === 'Status');
    }
    shieldBackground();
}

/** The document with the title of each example that is a reference: the viewer would show its key. */
function withExampleTitles(text) {
    return text.replaceAll(/\{(\$ref: '#\/components\/examples\/(\w+)')\}/g, (whole, reference, name) => {
        const title = new RegExp(`^ {4}${name}:\n {6}summary: (.*)$`, 'm').exec(text)?.[1];
        return title ? `{summary: ${JSON.stringify(title)}, ${reference}}` : whole;
    });
}

/** The document with more guides at the end of its description. */
function withGuides(text, guides) {
    return text.replace(/\n(?=servers:\n)/, `\n${guides.replaceAll(/^(?=.)/gm, '    ')}\n`);
}

function rank({ method, path }) {
    const place = FIRST.indexOf(`${method.toLowerCase()} ${path}`);
    return place < 0 ? FIRST.length : place;
}

async function start() {
    showTheme();
    systemIsDark.addEventListener('change', showTheme);
    document.getElementById('theme').addEventListener('click', switchTheme);
    document.addEventListener('focusin', ({ target }) => {
        lastFocused = target.closest('[role="dialog"]') ? lastFocused : target;
    });
    if (location.hash) {
        document.querySelector('.first-section').replaceChildren('Loading…'); // A link to another section.
    }
    applyStylesByScript();
    addSearch(document.getElementById('search'));
    document.body.classList.add(PAGE.replace('.html', ''));
    document.querySelector(`.bar .nav a[href="${PAGE}"]`).setAttribute('aria-current', 'page');
    keepChoiceValid();
    const isReference = PAGE === 'index.html';
    const [{ createApiReference }, text, samples, guides, session] = await Promise.all([
        import('./scalar/standalone.esm.js'), fetchDocument(), isReference ? fetchSamples() : null, fetchGuides(PAGE),
        loadSession()]);
    const token = readToken(session);
    showToken(session, token);
    const version = /^ {2}version: (\S+)/m.exec(text)[1];
    document.getElementById('version').textContent = version;
    new MutationObserver(completePage).observe(document.body,
        { childList: true, subtree: true, attributeFilter: ['class', 'style'] });
    const secret = token?.token ?? PLACEHOLDERS.token;
    const content = isReference ? withGuides(withExampleTitles(text), joined(guides, text))
        .replaceAll(PLACEHOLDERS.token, secret)
        : { openapi: '3.0.3', info: { title: 'Operation', version, description: joined(guides) }, paths: {} };
    createApiReference(document.getElementById('viewer'), {
        content,
        ...isReference && { authentication: { preferredSecurityScheme: 'apiToken',
            securitySchemes: { apiToken: { token: token?.token ?? '' } } } },
        customFetch: sendAs(session),
        operationsSorter: (a, b) => rank(a) - rank(b),
        hiddenClients: true, // Their samples are not complete programs.
        onLoaded: () => connect(viewer, samples && JSON.parse(samples.replaceAll(PLACEHOLDERS.token, secret))),
        setPageTitle: ({ title }) => [title, isReference ? 'reelsd API' : 'Operating reelsd'].filter(Boolean).join(' · '),
        localization: { translations: {
            navigation: { openMenu: 'Open the contents', closeMenu: 'Close the contents' },
            ...session && !token && { apiClient: { authSelector: { required: 'Test Request uses your session' } } },
        } },
        hideModels: true,
        hideSearch: true, // It misses texts of guides; this page has its own.
        documentDownloadType: 'direct',
        // This page has its own switch, which it shares with the dashboard.
        hideDarkModeToggle: true,
        theme: 'none',
        // Nothing of the viewer leaves this server.
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: 'never',
        agent: { disabled: true },
        mcp: { disabled: true },
        persistAuth: false,
    });
}

start();
