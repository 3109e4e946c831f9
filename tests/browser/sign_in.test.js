// Sign-in and sign-out: setup link, invitation, password.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invited, PASSWORD, Person, SAMPLE } from './daemon.js';
import { startBoth } from './started.js';
import { WIDTHS } from './visitor.js';

const { daemon, open } = await startBoth();
let administrator;

const withoutOrigin = (link) => link.replace(/^https?:\/\/[^/]+/, '');

test('the setup link creates the first administrator', async () => {
    const { visitor, page } = await open();
    await visitor.visit(withoutOrigin(daemon.setUpLink));
    await page.getByRole('heading', { name: 'Set up reelsd' }).waitFor();
    await page.getByLabel('E-mail address').fill('root@example.test');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('heading', { name: 'No reels yet' }).waitFor();
    assert.equal(new URL(page.url()).hash, '', 'the token does not stay in the address');
    await page.getByRole('link', { name: 'Admin' }).waitFor();
    visitor.assertClean();

    // It works once.
    const { visitor: late } = await open();
    await late.visit(withoutOrigin(daemon.setUpLink));
    await late.page.getByText('This link is no longer valid').waitFor();
    late.assertClean('404 /dashboard/invitation');
    await late.close();

    administrator = await signedIn('root@example.test');
});

/** A user with a password, who sends requests. */
async function signedIn(email) {
    const person = new Person(daemon, email);
    const session = await person.request('POST', '/sign-in', { email, password: PASSWORD });
    person.csrfToken = session.csrf_token;
    return person;
}

for (const width of WIDTHS) {
    test(`an invitation asks for a password, at ${width} px`, async () => {
        const email = `invited-${width}@example.test`;
        const { link } = await administrator.request('POST', '/api/admin/accounts', { email });
        const { visitor, page } = await open({ width });
        await visitor.visit(withoutOrigin(link));
        assert.equal(await page.getByLabel('E-mail address').inputValue(), email);
        await visitor.waitForFocus(page.getByLabel('Password'));
        await page.keyboard.type(PASSWORD);
        await page.getByRole('button', { name: 'Set the password' }).click();
        await page.getByRole('heading', { name: 'Reels', exact: true }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'Admin' }).count(), 0);
        await visitor.assertFits();
        visitor.assertClean();
    });

    test(`sign-in leads to the requested page, at ${width} px`, async () => {
        const { visitor, page } = await open({ width });
        await page.goto('/usage');
        await page.waitForURL('**/sign-in?next=%2Fusage');
        await page.getByLabel('E-mail address').fill('root@example.test');
        await page.getByLabel('Password').fill('not the password');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByText('Wrong e-mail address or password').waitFor();
        assert.equal(await page.getByLabel('Password').inputValue(), '');
        await visitor.waitForFocus(page.getByLabel('Password'));
        await page.keyboard.press('Enter');
        await page.getByText('This field is required.').waitFor();
        await page.getByLabel('Password').fill(PASSWORD);
        await visitor.context.setOffline(true);
        await page.keyboard.press('Enter');
        await page.getByText('No connection').waitFor();
        await visitor.context.setOffline(false);
        assert.equal(await page.getByLabel('Password').inputValue(), PASSWORD);
        await page.getByLabel('Password').press('Enter');
        await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
        assert.equal(new URL(page.url()).pathname, '/usage');
        visitor.assertClean('401 /dashboard/api/session', '401 /dashboard/sign-in');
    });

    test(`the password can be changed, and other sessions end, at ${width} px`, async () => {
        const person = await invited(administrator, `changing-${width}@example.test`);
        const { visitor, page } = await open({ person, width });
        const { visitor: other } = await open({ width });
        await other.visit('/sign-in');
        await other.page.getByLabel('E-mail address').fill(person.email);
        await other.page.getByLabel('Password').fill(PASSWORD);
        await other.page.keyboard.press('Enter');
        await other.page.getByRole('heading', { name: 'Reels', exact: true }).waitFor();

        await visitor.visit('/account');
        await page.getByLabel('Current password').fill('not the password');
        await page.getByLabel('New password').fill('another horse entirely');
        await page.getByRole('button', { name: 'Change password' }).click();
        await page.getByText('The current password is wrong').waitFor();
        await visitor.waitForFocus(page.getByLabel('Current password'));
        await page.getByLabel('Current password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Change password' }).click();
        await page.getByText('Password changed.').waitFor();
        visitor.assertClean('400 /dashboard/api/password');

        await other.page.getByLabel('Pages').getByRole('link', { name: 'Tokens' }).click();
        await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await other.close();

        await page.getByRole('button', { name: 'Sign out', exact: true }).click();
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        assert.equal(new URL(page.url()).search, '');
        await page.goto('/account');
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
}

test('a tab reloads when another account has signed in, and changes nothing there', async () => {
    const [first, second] = [await invited(administrator, 'first@example.test'), await invited(administrator, 'second@example.test')];
    const [name, value] = second.cookie.split(/=(.*)/s);
    const signInAsSecond = (visitor) => visitor.context.addCookies(
        [{ name, value, url: daemon.origin, httpOnly: true, sameSite: 'Strict' }]);
    const openTab = async (answerEvents = (route) => route.continue()) => {
        const { visitor } = await open({ person: first });
        await visitor.page.route('**/dashboard/api/events', answerEvents);
        await visitor.visit('/');
        await visitor.page.evaluate(() => {
            window.isBeforeReload = true;
            sessionStorage.setItem('reelsd-docs-token', 'of the first');
        });
        await signInAsSecond(visitor);
        return visitor;
    };
    const reloads = async ({ page }) => {
        await page.locator('.top-account', { hasText: second.email }).waitFor();
        assert.deepEqual(await page.evaluate(() => [window.isBeforeReload, sessionStorage.length]), [undefined, 0]);
    };

    const changing = await openTab();
    await changing.page.getByLabel('Analyse a reel').fill(SAMPLE);
    await changing.page.keyboard.press('Enter');
    await reloads(changing);
    assert.deepEqual(await second.request('GET', '/api/reels'), []);
    changing.assertClean('403 /dashboard/api/reels/analyze');
    await changing.close();

    const returning = await openTab();
    await returning.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await reloads(returning);
    returning.assertClean();
    await returning.close();

    let streams = 0;
    let resume;
    const resumed = new Promise((resolve) => { resume = resolve; });
    const staying = await openTab(async (route) => { // The browser resumes the first stream.
        streams += 1;
        if (streams === 1) {
            return route.fulfill({ contentType: 'text/event-stream', body: 'retry: 10\n\n' });
        }
        await resumed;
        return route.continue();
    });
    resume();
    await reloads(staying);
    staying.assertClean();
});

test('typed links and options survive other pages and an expired session, and are not shown to another account', async () => {
    const [person, other] = [await invited(administrator, 'typing@example.test'), await invited(administrator, 'other@example.test')];
    await person.finished(SAMPLE);
    const { visitor, page } = await open({ person });
    const links = page.getByLabel('Analyse a reel');
    const options = page.getByText(/^Options/);
    const signIn = async ({ email }) => {
        await page.getByLabel('E-mail address').fill(email);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Reels', exact: true }).waitFor();
    };
    const assertTyped = async () => {
        assert.equal(await links.inputValue(), SAMPLE);
        await options.click();
        assert.equal(await page.getByLabel('Instructions').inputValue(), 'Name each price.');
        assert.ok(await page.getByLabel('Analyse again, even if done within a day').isChecked());
    };
    await page.route('**/dashboard/api/reels/analyze', // The session has expired.
        (route) => route.fulfill({ status: 401, json: { message: 'sign in' } }));
    await visitor.visit('/');
    await links.fill(SAMPLE);
    await options.click();
    await page.getByLabel('Instructions').fill('Name each price.');
    await page.getByLabel('Analyse again, even if done within a day').check();
    await page.locator('.row-title a').click();
    await page.getByRole('slider').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Reels', exact: true }).waitFor();
    await assertTyped();

    await links.press('Enter');
    await signIn(person);
    await assertTyped();

    await links.press('Enter');
    await signIn(other);
    assert.equal(await links.inputValue(), '');
    await page.getByText('Options', { exact: true }).waitFor();
    visitor.assertClean('401 /dashboard/api/reels/analyze', '401 /dashboard/api/reels/analyze');
});

test('signing out after the session has ended elsewhere is not an error', async () => {
    const person = await invited(administrator, 'ended@example.test');
    const { visitor, page } = await open({ person });
    await visitor.visit('/account');
    await visitor.context.clearCookies();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.locator('.toast').count(), 0);
    visitor.assertClean('401 /dashboard/api/sign-out');
});
