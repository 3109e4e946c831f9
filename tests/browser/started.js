// The daemon, the browser and the first administrator of a test file. They end after its tests, and tabs after each.
import { after, afterEach } from 'node:test';
import { firstAdministrator, startDaemon } from './daemon.js';
import { launchBrowser } from './visitor.js';

/** Starts a daemon (with arguments of startDaemon()) and a browser: `{daemon, browser}`. */
export async function startBoth(...args) {
    const [daemon, browser] = await Promise.all([startDaemon(...args), launchBrowser()]);
    afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
    after(async () => {
        await browser.close();
        await daemon.stop();
    });
    return { daemon, browser };
}

/** As startBoth(), with the `administrator`. */
export async function start(...args) {
    const { daemon, browser } = await startBoth(...args);
    return { daemon, browser, administrator: await firstAdministrator(daemon) };
}
