// The page as an installed app: its manifest, and links that other apps share with it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSWORD, SAMPLE } from './daemon.js';
import { start } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open, administrator } = await start();

/** The address that an app opens to share `text`, by the manifest. */
async function shareAddress(text) {
    const manifest = await (await fetch(`${daemon.origin}/assets/app.webmanifest`)).json();
    const { action, method, params } = manifest.share_target;
    assert.equal(method, 'GET');
    return `${action}?${new URLSearchParams({ [params.title]: '', [params.text]: text })}`;
}

test('browsers accept the manifest and its icons', async () => {
    const { visitor } = await open({ person: administrator });
    await visitor.visit('/');
    const session = await visitor.context.newCDPSession(visitor.page);
    const { url, errors, data } = await session.send('Page.getAppManifest');
    assert.equal(url, `${daemon.origin}/assets/app.webmanifest`);
    assert.deepEqual(errors, []);
    assert.deepEqual((await session.send('Page.getInstallabilityErrors')).installabilityErrors
        .filter(({ errorId }) => errorId !== 'in-incognito'), []); // Test contexts are incognito.
    for (const { src, type, sizes } of JSON.parse(data).icons) {
        const answer = await fetch(daemon.origin + src);
        assert.equal(answer.headers.get('Content-Type'), type);
        const picture = Buffer.from(await answer.arrayBuffer());
        assert.equal(`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`, sizes);
    }
    visitor.assertClean();
});

for (const width of WIDTHS) {
    test(`a shared link is ready to send, at ${width} px`, async () => {
        const { visitor, page } = await open({ person: administrator, width });
        await visitor.visit(await shareAddress(`Watch this reel by reelsd ${SAMPLE}?igsh=MTc4MmM1YmI2Ng==`));
        assert.equal(await page.getByLabel('Analyse a reel').inputValue(), `${SAMPLE}?igsh=MTc4MmM1YmI2Ng==`);
        await visitor.waitForFocus(page.getByRole('button', { name: 'Analyse', exact: true }));
        await visitor.assertFits();
        await page.keyboard.press('Enter');
        await page.locator('.row').first().waitFor();
        await page.waitForURL((url) => url.search === '');
        assert.equal(await page.getByLabel('Analyse a reel').inputValue(), '');
        await page.reload();
        assert.equal(await page.getByLabel('Analyse a reel').inputValue(), '');
        visitor.assertClean();
    });
}

test('a link that is shared without a session arrives after sign-in', async () => {
    const { visitor, page } = await open({ width: 390 });
    await visitor.visit(await shareAddress(SAMPLE));
    await page.getByLabel('E-mail address').fill(administrator.email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Analyse a reel').waitFor();
    assert.equal(await page.getByLabel('Analyse a reel').inputValue(), SAMPLE);
    visitor.assertClean('401 /dashboard/api/session');
});
