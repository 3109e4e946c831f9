// Questions, options of submissions, extracted values, and the comparison of two analyses.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { invited, PASSWORD, SAMPLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const RECIPE = {
    name: 'Garlic noodles', recipeYield: '2 servings', totalTime: 'PT15M', prepTime: null,
    recipeIngredient: ['200 g noodles', '6 cloves of garlic'], recipeInstructions: ['Boil the noodles.', 'Fry the garlic.'],
};
const PRODUCTS = { brand: 'Kitchen & Co', inStock: true, note: null, products: [{ name: 'Wok', price: 34.9 }, { name: 'Tongs', price: 7.5 }] };

const { daemon, open, administrator } = await start();
const person = await invited(administrator, 'person@example.test');
const sample = await person.finished(SAMPLE);
const { id } = await person.request('POST', '/api/reels/analyze', { url: SAMPLE, fresh: true });
const other = await person.request('GET', `/api/reels/${id}?wait=60`);

/** Answers requests to `path` with JSON; resolves to the list of received bodies. */
async function answer(page, path, json, status = 200, headers = {}) {
    const bodies = [];
    await page.route(`**/dashboard/api${path}`, async (route) => {
        bodies.push(route.request().postDataJSON());
        await route.fulfill({ status, headers, json });
    });
    return bodies;
}

const citationsOf = () => [
    { id: sample.id, code: sample.result.platform_meta.code, field: 'audio.transcript',
        text: sample.result.audio.segments.at(-1).text, seconds: sample.result.audio.segments.at(-1).start_seconds },
    { id: sample.id, code: sample.result.platform_meta.code, field: 'content.summary', text: sample.result.content.summary },
];
const answered = () => ({
    answered: true, answer: 'It is said <b>so</b>.', citations: citationsOf(), model: { provider: 'gemini', name: 'gemini-3.8-flash' },
    cost_usd: 0.00041 });
const UNANSWERED = { answered: false, answer: 'The reels do not say.', citations: [], model: { provider: 'gemini', name: 'm' }, cost_usd: 0.0001 };

for (const width of WIDTHS) {
    test(`a question to the library is answered with citations that jump, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        const asked = await answer(page, '/reels/ask', answered());
        await visitor.visit('/');
        await page.getByRole('button', { name: 'Ask a question' }).click();
        await visitor.waitForFocus(page.getByLabel('Ask your reels'));
        await page.getByLabel('Ask your reels').fill(' What is said? ');
        await page.keyboard.press('Enter');
        await page.getByText('It is said <b>so</b>.').first().waitFor();
        assert.deepEqual(asked, [{ question: 'What is said?' }]);
        await page.getByText('Answered by gemini-3.8-flash, $0.00041').waitFor();
        const sources = page.getByRole('list', { name: 'Citations' }).locator('.citation-source');
        await sources.filter({ hasText: `Speech, ${sample.result.content.summary}` }).waitFor();
        await page.reload(); // A reload keeps the answer.
        await sources.filter({ hasText: `Speech, ${sample.result.content.summary}` }).waitFor();
        assert.deepEqual(asked, [{ question: 'What is said?' }]);
        await visitor.assertAccessible();
        await visitor.assertFits();
        const [cited] = citationsOf();
        await page.getByRole('list', { name: 'Citations' }).getByRole('link').first().click();
        await page.waitForURL(`**/reels/${sample.id}#t=${cited.seconds}`);
        const slider = page.getByRole('slider', { name: 'Time in the reel' });
        await slider.waitFor();
        assert.equal(Number(await slider.getAttribute('aria-valuenow')), cited.seconds);
        await page.goBack();
        await page.getByText('It is said <b>so</b>.').first().waitFor(); // The answer outlives its page.
        await page.getByRole('button', { name: 'Close the answer' }).click();
        assert.equal(await page.locator('.answer').count(), 0);
        await page.reload();
        await page.locator('.row').first().waitFor();
        assert.equal(await page.locator('.answer').count(), 0);
        visitor.assertClean();
    });

    test(`a question to a reel without an answer says so, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        const asked = await answer(page, `/reels/${sample.id}/ask`, UNANSWERED);
        await visitor.visit(`/reels/${sample.id}`);
        await page.getByLabel('Ask this reel').fill('How is the weather?');
        await page.getByRole('button', { name: 'Ask', exact: true }).click();
        await page.locator('.answer').getByText('The reels do not say.').waitFor();
        assert.equal(await page.locator('.citation').count(), 0);
        assert.deepEqual(asked, [{ question: 'How is the weather?' }]);
        visitor.assertClean();
    });

    test(`extracted values are a form and JSON, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        await answer(page, `/reels/${sample.id}`, { ...sample, extract: PRODUCTS });
        await visitor.visit(`/reels/${sample.id}`);
        await page.getByRole('heading', { name: 'Extracted' }).waitFor();
        const table = page.getByRole('region', { name: 'Products' });
        assert.deepEqual(await table.locator('tr').allInnerTexts(), ['Name\tPrice', 'Wok\t34.9', 'Tongs\t7.5']);
        const form = page.getByRole('tabpanel');
        await form.getByText('In stock').waitFor();
        assert.equal(await form.getByText('Note').count(), 0, 'members without a value are left out');
        await visitor.assertAccessible();
        await visitor.assertFits();
        await page.getByRole('tab', { name: 'Form' }).focus();
        await page.keyboard.press('ArrowRight');
        assert.deepEqual(JSON.parse(await page.getByLabel('Extracted JSON', { exact: true }).innerText()), PRODUCTS);
        visitor.assertClean();
    });

    test(`a recipe prints alone and is JSON-LD, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        await answer(page, `/reels/${sample.id}`, { ...sample, extract: RECIPE });
        await visitor.visit(`/reels/${sample.id}`);
        await page.getByRole('heading', { name: 'Garlic noodles' }).waitFor();
        await page.getByText('15 min', { exact: true }).waitFor();
        const block = JSON.parse(await page.locator('head script[type="application/ld+json"]').textContent());
        assert.equal(block['@type'], 'Recipe');
        assert.deepEqual(block.recipeInstructions[1], { '@type': 'HowToStep', text: 'Fry the garlic.' });
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: 'JSON-LD file' }).click();
        assert.equal((await download).suggestedFilename(), 'garlic-noodles.json');
        assert.deepEqual(JSON.parse(await readFile(await (await download).path(), 'utf8')), block);
        await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.getByRole('button', { name: 'Copy for recipe managers' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        assert.deepEqual(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())), block);
        await visitor.assertFits();
        await page.evaluate(() => { window.print = () => {}; });
        await page.getByRole('button', { name: 'Print the recipe' }).click();
        await page.emulateMedia({ media: 'print' });
        assert.ok(await page.getByText('Fry the garlic.').isVisible());
        for (const hidden of [page.locator('.reel-head'), page.locator('.moments'), page.locator('.top'), page.locator('.fact-columns')]) {
            assert.ok(!await hidden.isVisible());
        }
        await page.evaluate(() => dispatchEvent(new Event('afterprint')));
        assert.ok(await page.locator('.fact-columns').isVisible());
        visitor.assertClean();
    });

    test(`two analyses are compared, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        const changed = structuredClone(other);
        changed.result.content.summary = `${other.result.content.summary} Twice.`;
        changed.result.content.topics = [...other.result.content.topics, 'only here'];
        await answer(page, `/reels/${other.id}`, changed);
        await visitor.visit(`/reels/${sample.id}`);
        await page.getByRole('region', { name: 'Other analyses of this post' }).getByText(other.result.metadata.model.name).waitFor();
        await page.locator(`a[href="/reels/${sample.id}/compare/${other.id}"]`).click();
        await page.getByRole('heading', { name: 'Compare analyses' }).waitFor();
        await page.getByText('2 of ').first().waitFor();
        assert.deepEqual(await page.locator('mark.only').allInnerTexts(), ['Twice', 'only here']);
        assert.equal(await page.getByRole('region', { name: 'Format' }).count(), 0);
        await page.getByLabel('Show only differences').uncheck();
        await page.getByRole('region', { name: 'Format' }).waitFor();
        assert.equal(await page.locator('.compare-side', { hasText: 'no paid model' }).count(), 2);
        await visitor.assertAccessible();
        await visitor.assertFits();
        const boxes = await Promise.all([0, 1].map((side) => page.getByRole('region', { name: 'Summary' })
            .locator('.compare-cell').nth(side).boundingBox()));
        assert.equal(boxes[0].x === boxes[1].x, width < 600, 'side by side, or one below the other on a phone');
        visitor.assertClean();
    });

    test(`options are sent with a link, at ${width} px`, async () => {
        const { visitor, page } = await open({ person, width });
        await answer(page, '/extract-presets', [{ name: 'recipe', description: 'A recipe', schema: {} }]);
        await visitor.visit('/');
        await page.getByText('Options', { exact: true }).click();
        await page.getByLabel('Analyse again, even if done within a day').check();
        await page.getByText('Options (1)').waitFor();
        await page.getByLabel('Analyse again, even if done within a day').uncheck();
        await page.getByLabel('Extract').selectOption({ label: 'With my own schema' });
        await page.getByLabel('Language of the analysis').fill('de');
        await page.getByLabel('Instructions').fill('Name each price.');
        await page.getByLabel('Analyzer').selectOption('gemini');
        await visitor.assertAccessible();
        await visitor.assertFits();
        await page.getByLabel('Analyse a reel').fill(SAMPLE);
        await page.getByRole('button', { name: 'Analyse', exact: true }).click();
        await page.getByText('Paste a JSON Schema, or choose a preset.').waitFor();
        await visitor.waitForFocus(page.getByLabel('JSON Schema'));
        await page.getByLabel('JSON Schema').fill('{"type": "object", "$ref": "#"}');
        let sent = await answer(page, '/reels/analyze',
            { message: 'extract: "$ref" is not supported, at /$ref', status: 'error' }, 400);
        await page.getByRole('button', { name: 'Analyse', exact: true }).click();
        await page.getByText('Extract: "$ref" is not supported, at /$ref.').waitFor();
        await visitor.waitForFocus(page.getByLabel('JSON Schema'));
        await page.unroute('**/dashboard/api/reels/analyze');
        await page.getByLabel('Extract').selectOption({ label: 'Recipe' });
        sent = await answer(page, '/reels/analyze', { id: sample.id, status: 'done' }, 202);
        await page.getByRole('button', { name: 'Analyse', exact: true }).click();
        await page.getByLabel('Analyse a reel').and(page.locator(':placeholder-shown')).waitFor();
        assert.deepEqual(sent, [{ url: SAMPLE, queue: true, extract: 'recipe', language: 'de', instructions: 'Name each price.',
            analyzer: 'gemini' }]);
        visitor.assertClean('400 /dashboard/api/reels/analyze');
    });
}

test('an answer that cites an upload names its file, and signing out forgets it', async () => {
    const leaving = await invited(administrator, 'leaving@example.test');
    const { visitor, page } = await open({ person: leaving });
    const code = 'upload-efa958981a66';
    await answer(page, '/reels/ask', { ...answered(), citations: [
        { id: 7, code, field: 'audio.transcript', text: 'so' }, { id: 8, code, field: 'content.summary', text: 'so' }] });
    await answer(page, '/reels/7', { id: 7, url: 'upload:clip.mp4', status: 'done', result: { content: { summary: '' } } });
    await answer(page, '/reels/8', { message: 'not found', status: 'error' }, 404);
    await visitor.visit('/');
    await page.getByRole('button', { name: 'Ask a question' }).click();
    await page.getByLabel('Ask your reels').fill('What is said?');
    await page.keyboard.press('Enter');
    await page.getByText('Speech, clip.mp4').waitFor();
    await page.getByText(`Summary, reel ${code}`).waitFor(); // Deleted since.
    assert.match(await page.evaluate(() => sessionStorage.getItem('reelsd-answers')), /What is said/);
    await visitor.visit('/account');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.getItem('reelsd-answers')), null);
    visitor.assertClean('404 /dashboard/api/reels/8');
});

test('an answer that arrives after signing out is not shown to the next user', async () => {
    const leaving = await invited(administrator, 'early@example.test');
    const { visitor, page } = await open({ person: leaving });
    let release;
    const held = new Promise((resolve) => { release = resolve; });
    await page.route('**/dashboard/api/reels/ask', async (route) => {
        await held;
        await route.fulfill({ json: UNANSWERED }).catch(() => {}); // It may be aborted.
    });
    await visitor.visit('/');
    await page.getByRole('button', { name: 'Ask a question' }).click();
    await page.getByLabel('Ask your reels').fill('What is said?');
    const ended = Promise.race(['requestfinished', 'requestfailed'].map((event) =>
        page.waitForEvent(event, (request) => request.url().endsWith('/reels/ask'))));
    await page.keyboard.press('Enter');
    await page.getByText('Reading the reels.').waitFor();
    await page.locator('.top-tools a[href="/account"]').click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    release();
    await ended;
    await page.getByLabel('E-mail address').fill(person.email); // In the same document.
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('.row').first().waitFor();
    assert.equal(await page.locator('.answer').count(), 0);
    assert.equal(await page.evaluate(() => sessionStorage.getItem('reelsd-answers')), null);
    visitor.assertClean();
});

test('a citation without a time has no link on the page of its reel', async () => {
    const { visitor, page } = await open({ person });
    await answer(page, `/reels/${sample.id}/ask`, answered());
    await visitor.visit(`/reels/${sample.id}`);
    await page.getByLabel('Ask this reel').fill('What is said?');
    await page.keyboard.press('Enter');
    await page.locator('.citation').nth(1).waitFor();
    assert.deepEqual(await page.locator('.citation').evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
        [`/reels/${sample.id}#t=${citationsOf()[0].seconds}`, null]);
    await visitor.assertAccessible();
    visitor.assertClean();
});

test('a search is saved, opened and deleted', async () => {
    const { visitor, page } = await open({ person });
    let saved = [{ id: 6, name: 'bread', query: 'bread', min_score: 0.3, created_at: '2026-05-22T10:00:00Z' }];
    await page.route(/\/dashboard\/api\/searches(\/\d+)?$/, async (route) => {
        const request = route.request();
        if (request.method() === 'POST') {
            const body = JSON.parse(request.postData().normalize('NFC'));
            saved = [{ id: 7, name: 'pasta', min_score: 0.3, created_at: '2026-05-22T10:00:00Z', ...body }, ...saved];
            await route.fulfill({ status: 201, json: saved[0] });
        } else if (request.method() === 'DELETE') {
            saved = saved.filter(({ id }) => !request.url().endsWith(`/${id}`));
            await route.fulfill({ status: 204 });
        } else {
            await route.fulfill({ json: saved });
        }
    });
    await visitor.visit('/?q=pasta');
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.locator('span', { hasText: /^Saved$/ }).waitFor();  // Not the menu of the same name.
    assert.equal(saved[0].query, 'pasta');
    await page.getByLabel('Search what is said').fill('');
    const menu = page.getByRole('button', { name: 'Saved searches' });
    await menu.click();
    await visitor.assertAccessible();
    await page.locator('.menu-panel').getByRole('link', { name: 'pasta' }).click();
    await page.waitForURL('**/?q=pasta');
    await page.locator('.menu-panel').waitFor({ state: 'detached' });
    await menu.click();
    await page.getByRole('button', { name: 'Delete the search: pasta' }).click();
    await visitor.waitForFocus(page.locator('.menu-panel').getByRole('link', { name: 'bread' }));
    await page.getByRole('button', { name: 'Delete the search: bread' }).click();
    await page.getByText('None yet.').waitFor();
    await visitor.waitForFocus(menu);
    await page.keyboard.press('Escape');
    assert.equal(await menu.getAttribute('aria-expanded'), 'false');

    // The same search in the reels of one author is another one.
    saved = [{ id: 6, name: 'café', query: 'café', min_score: 0.3, created_at: '2026-05-22T10:00:00Z' }];
    await visitor.visit('/?q=cafe%CC%81&author=%40a_cook'); // Letter and accent as two characters.
    await page.getByRole('button', { name: 'Save this search' }).click();
    await page.locator('span', { hasText: /^Saved$/ }).waitFor();
    assert.deepEqual([saved[0].query, saved[0].author, saved[0].name], ['café', 'a_cook', 'café (a_cook)']);
    await visitor.visit('/');
    await menu.click();
    await page.locator('.menu-panel').getByRole('link', { name: 'café (a_cook)' }).click();
    await page.waitForURL('**/?q=caf%C3%A9&author=a_cook');
    visitor.assertClean();
});

test('an invalid extraction is a notice', async () => {
    const { visitor, page } = await open({ person });
    await answer(page, `/reels/${sample.id}`, { ...sample, extract_error: '"price" is required, at /products/0' });
    await visitor.visit(`/reels/${sample.id}`);
    await page.getByText('"price" is required, at /products/0').waitFor();
    visitor.assertClean();
});

test('a question that fails says why, and can be asked again', async () => {
    const { visitor, page } = await open({ person });
    await answer(page, '/reels/ask', { message: 'the model cannot be reached', status: 'error' }, 429, { 'Retry-After': '1' });
    await visitor.visit('/');
    await page.getByRole('button', { name: 'Ask a question' }).click();
    await page.getByLabel('Ask your reels').fill('What is said?');
    await page.keyboard.press('Enter');
    await page.getByText('The model cannot be reached.').waitFor();
    await page.unroute('**/dashboard/api/reels/ask');
    await answer(page, '/reels/ask', UNANSWERED);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.answer').getByText('The reels do not say.').waitFor();
    visitor.assertClean('429 /dashboard/api/reels/ask');
});

test('without a model there is no question box, and the options say why', async () => {
    const { visitor, page } = await open({ person });
    await page.route('**/dashboard/api/session', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...await response.json(), analyzers: ['local'] } });
    });
    await visitor.visit('/');
    await page.getByText('Options', { exact: true }).click();
    await page.getByText('this server has none').waitFor();
    assert.equal(await page.getByLabel('Ask your reels').count(), 0);
    visitor.assertClean();
});
