// The daemon, the browser and the first administrator of a test file. They end after its tests, and tabs after each.
import { after, afterEach } from 'node:test';
import { firstAdministrator, startDaemon } from './daemon.js';
import { launchBrowser, Visitor } from './visitor.js';

/**
 * Starts a daemon (with arguments of startDaemon()) and a browser: `{daemon, open}`. `open` opens a tab with options of
 * Visitor.open(): `{visitor, page}`.
 */
export async function startBoth(...args) {
    const [daemon, browser] = await Promise.all([startDaemon(...args), launchBrowser()]);
    afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
    after(async () => {
        await browser.close();
        await daemon.stop();
    });
    const open = async (options) => {
        const visitor = await Visitor.open(browser, daemon, options);
        return { visitor, page: visitor.page };
    };
    return { daemon, open };
}

/** As startBoth(), with the `administrator`. */
export async function start(...args) {
    const started = await startBoth(...args);
    return { ...started, administrator: await firstAdministrator(started.daemon) };
}
