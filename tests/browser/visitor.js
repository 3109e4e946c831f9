// A user with a real browser. Records the pages' requests and console messages for assertions.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { axeSource, chromium } from './packages.js';

export const WIDTHS = [1280, 390];
const LAYOUT_WIDTHS = [...WIDTHS, 320];
const WAIT_MILLISECONDS_MAX = 90_000; // Sanitized programs on a busy machine.
const REFUSED = /^Failed to load resource/; // The response reports the same failure with its address.

export function launchBrowser() {
    // Of Debian, without the parts that need a screen and half the CPU time; of Ubuntu.
    const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium-browser'];
    const executablePath = programs.find((file) => existsSync(file)) ?? programs[0];
    // Only our own pages are shown, and neither root nor most containers have a sandbox.
    return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Runs in each page: its messages, which close after 2 s (copy buttons) or 6 s (toasts), stay open on a busy machine. */
function keepMessages() {
    const start = window.setTimeout;
    window.setTimeout = (run, milliseconds, ...rest) => start(run, [2000, 6000].includes(milliseconds) ? 60_000 : milliseconds, ...rest);
}

/** One tab; signed in as `person`, or signed out when null. */
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
        await visitor.context.addInitScript(keepMessages);
        visitor.page = await visitor.context.newPage();
        visitor.watch(visitor.page);
        return visitor;
    }

    watch(page) {
        this.problems = [];
        this.strangers = [];
        this.refusals = [];
        page.on('console', (message) => {
            const isProblem = ['error', 'warning'].includes(message.type());
            if (isProblem && !REFUSED.test(message.text())) {
                this.problems.push(message.text());
            }
        });
        page.on('pageerror', (error) => this.problems.push(String(error.stack)));
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

    /** Asserts that there were no console messages, no requests to other hosts, and no failures but `refusals`. */
    assertClean(...refusals) {
        assert.deepEqual(this.problems, []);
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

    /** Waits until the element of a locator has the focus. */
    async waitForFocus(locator) {
        const element = await locator.elementHandle();
        await this.page.waitForFunction((one) => one === document.activeElement, element);
    }

    async assertFits() {
        const [whole, shown] = await this.page.evaluate(
            () => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.ok(whole <= shown, `the page is ${whole} px wide where ${shown} are shown`);
    }

    /**
     * Asserts at each width that axe finds nothing and that nothing overflows. The page is loaded once and resized, which
     * is enough for styles by width.
     */
    async assertLayout() {
        const { width: before, height } = this.page.viewportSize();
        for (const width of LAYOUT_WIDTHS) {
            await this.page.setViewportSize({ width, height });
            await this.assertAccessible();
            await this.assertFits();
        }
        await this.page.setViewportSize({ width: before, height });
    }

    /** Asserts that axe finds no violation of any of its rules in the document, or in the elements of a selector. */
    async assertAccessible(selector = null) {
        // Not by a script element, which the pages' content security policy forbids.
        const session = await this.context.newCDPSession(this.page);
        await session.send('Runtime.evaluate', { expression: axeSource });
        const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
            expression: `axe.run(${JSON.stringify(selector)} ?? document, {resultTypes: ['violations']}).then(({violations}) =>
                violations.map(({id, impact, nodes}) => [location.href, innerWidth, impact, id,
                    nodes.map(({html, failureSummary}) => html + ' ' + failureSummary)]))`,
            awaitPromise: true, returnByValue: true,
        });
        await session.detach();
        assert.equal(exceptionDetails, undefined);
        assert.deepEqual(result.value, []);
    }

    /** Asserts that no two buttons of lists and tables have the same name, so that a screen reader tells their rows apart. */
    async assertRowActionsNamed() {
        const names = await this.page.locator('main :is(.line, .row, tbody) button').evaluateAll(
            (buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? button.innerText));
        assert.deepEqual(names.filter((name, index) => name.trim() === '' || names.indexOf(name) !== index), []);
    }

    close() {
        return this.context.close();
    }
}
