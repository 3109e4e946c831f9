// A person at a real browser. What the pages do behind their back is kept and can be held against them.
import assert from 'node:assert/strict';
import { axeSource, chromium } from './packages.js';

export const WIDTHS = [1280, 390];
const WAIT_MILLISECONDS_MAX = 90_000; // Sanitized programs on a busy machine.
const REFUSED = /^Failed to load resource/; // Told with its address by the answer itself.

export function launchBrowser() {
    // It shows our own pages alone, and neither root nor most containers have a sandbox.
    return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}

/** One tab; `person` is signed in, or nobody when null. */
export class Visitor {
    static async open(browser, daemon, { person = null, width = 1280, scheme = 'light' } = {}) {
        const visitor = new Visitor();
        const isPhone = width < 600;
        visitor.origin = daemon.origin;
        visitor.context = await browser.newContext({
            baseURL: daemon.origin, viewport: { width, height: isPhone ? 844 : 900 }, colorScheme: scheme,
            isMobile: isPhone, hasTouch: isPhone, timezoneId: 'Europe/Berlin', reducedMotion: 'reduce',
        });
        if (person?.cookie) {
            const [name, value] = person.cookie.split(/=(.*)/s);
            await visitor.context.addCookies(
                [{ name, value, url: daemon.origin, httpOnly: true, sameSite: 'Strict' }]);
        }
        visitor.context.setDefaultTimeout(WAIT_MILLISECONDS_MAX);
        visitor.page = await visitor.context.newPage();
        visitor.watch(visitor.page);
        return visitor;
    }

    watch(page) {
        this.complaints = [];
        this.strangers = [];
        this.refusals = [];
        page.on('console', (message) => {
            const isComplaint = ['error', 'warning'].includes(message.type());
            if (isComplaint && !REFUSED.test(message.text())) {
                this.complaints.push(message.text());
            }
        });
        page.on('pageerror', (error) => this.complaints.push(String(error.stack)));
        page.on('request', (request) => {
            const url = request.url();
            if (!url.startsWith(`${this.origin}/`) && !url.startsWith('data:')) {
                this.strangers.push(url);
            }
        });
        page.on('response', (answer) => {
            if (answer.status() >= 400) {
                this.refusals.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
            }
        });
    }

    /** Nothing was complained of, nobody else was asked, and only `refusals` were refused. */
    assertClean(...refusals) {
        assert.deepEqual(this.complaints, []);
        assert.deepEqual(this.strangers, []);
        assert.deepEqual(this.refusals, refusals);
    }

    /** Opens an address and waits until its page has its heading and its data. */
    async visit(path) {
        await this.page.goto(path);
        await this.settled();
    }

    async settled() {
        await this.page.locator('main h1').first().waitFor();
        await this.page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    }

    /** Waits until the keyboard stands at an element, a locator; the page may put it there a moment later. */
    async waitForFocus(locator) {
        const element = await locator.elementHandle();
        await this.page.waitForFunction((one) => one === document.activeElement, element);
    }

    async assertFits() {
        const [whole, shown] = await this.page.evaluate(
            () => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.ok(whole <= shown, `the page is ${whole} px wide where ${shown} are shown`);
    }

    /** Fails with what a person with a screen reader or weak eyes cannot use, of serious or critical impact. */
    async assertAccessible() {
        // Not by a script element: the pages' own policy forbids that.
        const session = await this.context.newCDPSession(this.page);
        await session.send('Runtime.evaluate', { expression: axeSource });
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
            expression: `axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations
                .filter((one) => one.impact === 'serious' || one.impact === 'critical')
                .map((one) => one.id + ': ' + one.nodes.map((node) => node.html + ' ' + node.failureSummary)))`,
            awaitPromise: true, returnByValue: true,
        });
        await session.detach();
        assert.equal(exceptionDetails, undefined);
        assert.deepEqual(result.value, []);
    }

    close() {
        return this.context.close();
    }
}
