// The API reference: contents, samples with the reader's token, requests that are tried, themes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited, SAMPLE } from './daemon.js';
import { administrator, daemon, open, openTab, show } from './docs_page.js';

const FIRST_VIEW_BYTES_MAX = 1_100_000;
const ANALYZE = '#tag/reels/POST/api/v1/reels/analyze';
const READ = '#tag/reels/GET/api/v1/reels/{id}';
const OPERATIONS = [ANALYZE, '#tag/webhooks/PUT/api/v1/webhook'];
const FIRST = ['POST/api/v1/reels/analyze', 'GET/api/v1/reels/{id}', 'GET/api/v1/reels', 'GET/api/v1/reels/search',
    'GET/api/v1/reels/usage', 'DELETE/api/v1/reels/{id}'];

async function documentText() {
    return (await fetch(`${daemon.origin}/docs/openapi.yaml`)).text();
}

/** `POST/api/v1/reels/analyze` and all other operations of the document, in its order. */
async function documentedOperations() {
    const text = await documentText();
    let path = '';
    const found = [];
    for (const line of text.slice(text.indexOf('\npaths:')).split('\n')) {
        path = /^ {2}(\/\S*):$/.exec(line)?.[1] ?? path;
        const method = /^ {4}(get|put|post|delete):$/.exec(line)?.[1];
        if (method) {
            found.push(method.toUpperCase() + path);
        }
    }
    return found;
}

/** Opens all groups of the contents; resolves to the operations that they list. */
async function listedOperations(page) {
    const groups = page.locator('.t-doc__sidebar li:has(> div > a[href^="#tag/"])');
    for (let index = 0; index < await groups.count(); index += 1) {
        const group = groups.nth(index);
        if (await group.locator('ul').count() === 0) {
            await group.locator('button').first().click();
        }
        await group.locator('ul a').first().waitFor();
    }
    const links = page.locator('.t-doc__sidebar ul ul a[href^="#tag/"]');
    return (await links.evaluateAll((all) => all.map((link) => link.getAttribute('href').replace(/^#tag\/[^/]+\//, ''))));
}

for (const scheme of ['light', 'dark']) {
    test(`the reference is accessible and fits, ${scheme}`, async () => {
        const { visitor } = await open({ scheme });
        await visitor.assertLayout(); // With all guides, but no operation: those are rendered when they are shown.
        for (const place of OPERATIONS) {
            await show(visitor.page, place);
            await visitor.assertAccessible(`[id$="${place.slice(1)}"]`);
            await visitor.assertFits();
        }
        visitor.assertClean();
    });
}

test('contents and quick start are shown before the viewer has started', async () => {
    for (const width of [1280, 390]) {
        const { visitor, page } = await openTab({ width });
        let letStart;
        const started = new Promise((resolve) => {
            letStart = resolve;
        });
        await page.route('**/scalar/standalone.esm.js', async (route) => {
            await started;
            await route.continue();
        });
        await page.goto('/docs/index.html', { waitUntil: 'commit' });
        await page.getByRole('heading', { name: 'Analyse a first reel' }).waitFor();
        const contents = page.getByRole('navigation', { name: 'Contents' });
        if (width > 1000) {
            assert.equal(await contents.getByRole('link', { name: 'Manage webhooks' }).getAttribute('href'), '#tag/webhooks');
        }
        await visitor.assertAccessible('#first-screen');
        await visitor.assertFits();
        letStart();
        await page.locator('#first-screen').waitFor({ state: 'detached' });
        await page.getByRole('heading', { name: 'Quick start' }).waitFor();
        await visitor.close();
    }
});

test('an operation fits a phone, and the contents open there', async () => {
    const { visitor } = await open({ width: 320 }, ANALYZE);
    await show(visitor.page, ANALYZE);
    await visitor.assertAccessible(`[id$="${ANALYZE.slice(1)}"]`);
    await visitor.assertFits();
    const contents = visitor.page.getByRole('button', { name: 'Open the contents' });
    assert.match(await contents.evaluate((button) => getComputedStyle(button, '::after').content), /Contents/);
    await contents.click();
    await visitor.page.getByRole('link', { name: 'Quick start' }).waitFor();
    await visitor.assertAccessible();
    visitor.assertClean();
});

test('samples of guides are copied, and examples have titles', async () => {
    const { visitor, page } = await open();
    const sample = page.locator('.introduction-description pre').first();
    await sample.getByRole('button', { name: 'Copy the sample' }).click();
    await sample.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => String(getSelection()));
    assert.ok(copied.includes('reels/analyze') && !copied.includes('Copy'), copied);
    await show(page, '#tag/reels/GET/api/v1/reels/{id}');
    const operation = page.locator('[id$="tag/reels/GET/api/v1/reels/{id}"]');
    await operation.getByRole('button', { name: 'Analysed' }).click();
    for (const title of ['Analysed', 'Waiting for a worker', 'Processing', 'Failed']) {
        await page.getByRole('option', { name: title }).waitFor();
    }
    await page.keyboard.press('Escape');
    await operation.getByRole('tab', { name: '401' }).click();
    await operation.locator('.response-card').getByText('X-Error-Code: token_required').waitFor();
    await operation.getByRole('tab', { name: '429' }).click();
    await operation.locator('.response-card').getByText('Retry-After: 5').waitFor();
    visitor.assertClean();
});

function requestOf(page, place) {
    return page.locator(`[id$="${place.slice(1)}"]`);
}

async function chooseOption(page, button, name) {
    await button.click();
    await page.getByRole('option', { name, exact: true }).click();
}

test('the language is chosen once for guides and requests, and remembered', async () => {
    const { visitor, page } = await open({}, ANALYZE);
    const [first, signature] = [page.locator('.samples').first(), page.locator('.samples', { hasText: 'is_authentic' })];
    const chosen = (group, name) => group.getByRole('button', { name, pressed: true }).waitFor();
    await chosen(first, 'curl');
    await chosen(signature, 'Python'); // It has no curl.
    await first.getByRole('button', { name: 'Python' }).click();
    await first.getByText('urllib.request.urlopen').waitFor();
    assert.equal(await first.locator('pre:visible').count(), 1);
    await show(page, ANALYZE);
    const card = requestOf(page, ANALYZE).locator('.request-card');
    await card.locator('code.language-python').getByText('urlopen').waitFor();
    await chooseOption(page, card.getByTestId('client-picker'), 'JavaScript');
    await card.locator('code.language-javascript').waitFor();
    await chosen(first, 'JavaScript');
    await chosen(signature, 'JavaScript');
    await page.waitForFunction(() => Object.values(localStorage).includes('custom/javascript'));
    await page.reload();
    await chosen(first, 'JavaScript');
    await show(page, ANALYZE);
    await card.locator('code.language-javascript').waitFor();
    visitor.assertClean();
});

test('the sample is that of the chosen body', async () => {
    const { visitor, page } = await open({}, ANALYZE);
    await show(page, ANALYZE);
    const request = requestOf(page, ANALYZE);
    const sample = request.locator('.request-card code');
    const copy = request.locator('.request-card').getByRole('button', { name: /^Copy .* code$/ });
    assert.equal(await copy.evaluate((button) => getComputedStyle(button).opacity), '1');
    const box = await copy.boundingBox();
    assert.ok(box.y + box.height <= (await sample.boundingBox()).y, 'the button covers the sample');
    await chooseOption(page, request.getByRole('button', { name: 'The sample reel' }), 'Analyse again within 24 hours');
    await sample.getByText('"fresh": true').waitFor();
    await chooseOption(page, request.locator('.request-body').getByRole('button', { name: /application\/json/ }), 'multipart/form-data');
    await sample.getByText('video=@clip.mp4').waitFor();
    visitor.assertClean();
});

for (const [width, height] of [[1280, 900], [390, 844]]) {
    test(`a request shows its body before its headers, and a response uses the screen, ${width} px`, async () => {
        const { visitor, page } = await open({ width }, ANALYZE);
        await show(page, ANALYZE);
        const top = async (name) => (await requestOf(page, ANALYZE).locator('.operation-details')
            .getByRole('heading', { name, exact: false }).first().boundingBox()).y;
        assert.ok(await top('Body') < await top('Headers'));
        assert.ok(await top('Headers') < await top('Responses'));
        await show(page, READ);
        const response = await requestOf(page, READ).locator('.response-card').boundingBox();
        const examples = await requestOf(page, READ).locator('.examples').boundingBox();
        if (width > 600) {
            assert.ok(response.height > height / 2, `${response.height}`);
            assert.ok(examples.height <= height, `${examples.height}`);
        } else {
            const box = requestOf(page, READ).locator('.response-card');
            assert.equal(await box.evaluate((card) => [...card.querySelectorAll('*')]
                .some((part) => /auto|scroll/.test(getComputedStyle(part).overflowY) && part.scrollHeight > part.clientHeight + 1)), false);
        }
        visitor.assertClean();
    });
}

test('the contents list the guides, then every operation, those of a reel first', async () => {
    const { visitor, page } = await open();
    const entries = await page.locator('.t-doc__sidebar > ul > li > a, .t-doc__sidebar > ul > li > div > a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    assert.equal(entries[0], '#description/quick-start');
    assert.ok(entries.indexOf('#description/errors') < entries.indexOf('#tag/reels'));
    const listed = await listedOperations(page);
    assert.deepEqual(listed.slice(0, FIRST.length), FIRST);
    assert.deepEqual([...listed].sort(), (await documentedOperations()).sort());
    visitor.assertClean();
});

/** Waits until the address, the contents and the top of the screen agree on a section. */
async function waitForSection(page, place) {
    await page.waitForFunction((hash) => {
        const shown = document.querySelector(`#viewer :is(section, .introduction-description-heading)[id$="${hash.slice(1)}"]`);
        const entry = document.querySelector('.t-doc__sidebar a[aria-current="page"]');
        const { top, bottom } = entry?.getBoundingClientRect() ?? {};
        return shown?.getBoundingClientRect().top < 100 && decodeURIComponent(location.hash) === hash
            && decodeURIComponent(entry?.hash) === hash && top > 0 && bottom < innerHeight;
    }, place);
}

for (const place of ['#description/limits', '#description/codes-of-failed-reels', READ]) {
    test(`the address and the contents follow the scrolling after the link ${place}`, async () => {
        const { visitor, page } = await openTab({ person: administrator });
        await page.addInitScript(() => {
            window.passed = new Set();
            const { replaceState } = history;
            history.replaceState = (...details) => {
                replaceState.apply(history, details);
                window.passed.add(decodeURIComponent(location.hash));
            };
        });
        await page.goto(`/docs/index.html${place}`);
        await waitForSection(page, place);
        await page.mouse.move(640, 450);
        await page.mouse.wheel(0, 30);
        await page.waitForFunction(() => window.passed.size > 0);
        await waitForSection(page, place);
        assert.deepEqual(await page.evaluate(() => [...window.passed]), [place]);
        const next = place === '#description/limits' ? '#description/uploads' : null;
        if (next) {
            await page.locator(`[id$="${next.slice(1)}"]`).first().evaluate((section) => section.scrollIntoView());
            await waitForSection(page, next);
        }
        visitor.assertClean();
    });
}

test('the page has the version and a link to the dashboard', async () => {
    const { visitor } = await open({ person: null });
    const { version } = await (await fetch(`${daemon.origin}/healthz`)).json();
    const bar = visitor.page.getByRole('navigation', { name: 'reelsd' });
    await bar.getByText(version).waitFor();
    await bar.getByRole('link', { name: 'Sign in' }).waitFor();
    await bar.getByRole('link', { name: 'Dashboard', exact: true }).click();
    await visitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('samples contain a token of the reader, until it is revoked', async () => {
    const ann = await invited(administrator, 'ann@example.test');
    const { visitor, page } = await open({ person: ann });
    await show(page, ANALYZE);
    await page.locator(`[id$="${ANALYZE.slice(1)}"] .request-card`).getByRole('button', { name: 'Fill in a token' }).click();
    await page.getByRole('button', { name: 'Revoke' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Fill in a token' }).count(), 0);
    const [created] = await ann.request('GET', '/api/tokens');
    assert.equal(Date.parse(created.expires_at) - Date.parse(created.created_at), 24 * 3600 * 1000);
    await page.getByRole('heading', { name: 'Quick start' }).waitFor();
    const guide = await page.locator('.introduction-description code.language-sh').first().textContent();
    const [token] = /rls_[A-Za-z0-9]{40}/.exec(guide);
    assert.ok(guide.startsWith(`API=${daemon.origin}/api/v1\nTOKEN=${token}\n`), guide);
    await show(page, ANALYZE);
    const sample = page.locator(`[id$="${ANALYZE.slice(1)}"] code.language-shell`);
    assert.ok((await sample.textContent()).includes(`Authorization: Bearer ${token}`));
    const answer = await fetch(`${daemon.origin}/api/v1/reels`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    await show(page, '#description/limits');
    await waitForSection(page, '#description/limits');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' });
    await waitForSection(page, '#description/limits');
    await page.locator('.introduction-description pre').first().getByRole('button', { name: 'Fill in a token' }).waitFor();
    const refused = await fetch(`${daemon.origin}/api/v1/reels`, { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(refused.status, 401);
    visitor.assertClean();
});

test('a token is not shown to the next user of the tab', async () => {
    const { visitor, page } = await open();
    await page.evaluate(() => sessionStorage.setItem('reelsd-docs-token',
        JSON.stringify({ account: -1, id: 1, token: 'rls_of_another_account' })));
    await page.reload();
    await page.getByRole('button', { name: 'Fill in a token' }).first().waitFor();
    assert.equal(await page.getByText('rls_of_another_account').count(), 0);
    assert.equal(await page.evaluate(() => sessionStorage.getItem('reelsd-docs-token')), null);
    visitor.assertClean();
});

/** Sends the first operation as it is; resolves to the paths of the requests. */
async function tryToSubmit(visitor) {
    const { page } = visitor;
    const sent = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Send/ }).first().click();
    await dialog.getByText('202 Accepted').waitFor();
    return sent;
}

async function openTrial(visitor) {
    await show(visitor.page, ANALYZE);
    await visitor.page.locator(`[id$="${ANALYZE.slice(1)}"]`).getByRole('button', { name: 'Test Request' }).click();
    await visitor.page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first().waitFor();
}

test('a request can be tried with the session', async () => {
    const { visitor, page } = await open({}, ANALYZE);
    await openTrial(visitor);
    await page.getByRole('dialog').getByText('Test Request uses your session').waitFor();
    assert.equal(await page.locator('.ascii-art').isVisible(), false);
    await visitor.assertAccessible();
    assert.deepEqual(await tryToSubmit(visitor), ['/dashboard/api/reels/analyze']);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement.textContent.startsWith('Test Request'));
    const [newest] = await administrator.request('GET', '/api/reels');
    assert.equal(newest.url, SAMPLE);
    visitor.assertClean();
});

test('a request can be tried with a pasted token', async () => {
    const { token } = await administrator.request('POST', '/api/tokens', { name: 'pasted' });
    const { visitor } = await open({ person: null }, ANALYZE);
    await openTrial(visitor);
    await visitor.page.getByRole('dialog').getByPlaceholder('Token').or(visitor.page.getByRole('dialog')
        .locator('[data-placeholder="Token"]')).first().click();
    await visitor.page.keyboard.insertText(token);
    assert.deepEqual(await tryToSubmit(visitor), ['/api/v1/reels/analyze']);
    visitor.assertClean('401 /dashboard/api/session');
});

test('fields say whether they are optional, and have an example', async () => {
    const { visitor, page } = await open({}, '#tag/reels/GET/api/v1/reels/search');
    await show(page, '#tag/reels/GET/api/v1/reels/search');
    const field = (name) => page.locator(`[id$="reels/search"] .property-heading`, { hasText: new RegExp(`^${name}`) }).first();
    await field('q').getByText('required').waitFor();
    assert.equal(await field('tag').locator('.property-name').evaluate((name) => getComputedStyle(name, '::after').content), '"optional"');
    await field('tag').getByText('recipes').waitFor();
    // An optional parameter is in no sample.
    assert.ok(!(await page.locator('[id$="reels/search"] code.language-shell').textContent()).includes('recipes'));
    visitor.assertClean();
});

test('a dark page is dark before its scripts run, and the choice is shared with the dashboard', async () => {
    const { visitor, page } = await openTab({ person: administrator, scheme: 'dark' });
    const groundOf = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.route('**/docs/viewer.js', (route) => route.abort());
    await page.goto('/docs/index.html');
    const dark = await groundOf();
    await page.unroute('**/docs/viewer.js');
    await page.goto('/docs/index.html');
    await page.getByRole('button', { name: 'Switch to light colours' }).click();
    const light = await groundOf();
    assert.notEqual(light, dark);
    await visitor.visit('/');
    assert.equal(await groundOf(), light);
    assert.deepEqual(visitor.strangers, []);
});

test('the first view is about a megabyte', async () => {
    const { visitor } = await openTab({ person: administrator });
    const session = await visitor.context.newCDPSession(visitor.page);
    let bytes = 0;
    session.on('Network.loadingFinished', (event) => {
        bytes += event.encodedDataLength;
    });
    await session.send('Network.enable');
    await visitor.page.goto('/docs/index.html');
    await visitor.page.locator('#first-screen').waitFor({ state: 'detached' }); // The viewer has started.
    await visitor.page.getByRole('heading', { name: 'Quick start' }).waitFor();
    assert.ok(bytes > 100_000 && bytes < FIRST_VIEW_BYTES_MAX, `${bytes} bytes`);
    console.log(`${bytes} bytes`);
});
