// Opens the dashboard's first pages in Chromium, each time in a new one: bytes that go over the wire without a
// cache, pictures included, and the time to first paint, at a first and at a second visit.
//
//     dashboard_pages.mjs ORIGIN COOKIE        for dashboard_pages.py
import { launchBrowser, Visitor } from '../browser/visitor.js';

const VISITS = 7;

const [origin, cookie] = process.argv.slice(2);

async function firstPaint(page) {
    const seen = await page.waitForFunction(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    return seen.jsonValue();
}

function median(values) {
    return Math.round([...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]);
}

/** Measures one path in a new browser. */
async function visit(path, person) {
    const browser = await launchBrowser();
    try {
        const visitor = await Visitor.open(browser, { origin }, { person });
        const { page } = visitor;
        const session = await visitor.context.newCDPSession(page);
        const underWay = new Set();
        let bytes = 0;
        session.on('Network.requestWillBeSent', ({ requestId, type }) => {
            if (type !== 'EventSource') { // That one never ends.
                underWay.add(requestId);
            }
        });
        session.on('Network.loadingFailed', ({ requestId }) => underWay.delete(requestId));
        session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
            underWay.delete(requestId);
            bytes += encodedDataLength;
        });
        await session.send('Network.enable');
        await visitor.visit(path);
        const first = await firstPaint(page);
        do { // Pictures are requested when they are about to be drawn.
            await page.evaluate(() => new Promise(
                (drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
        } while (underWay.size > 0);
        const weight = bytes;
        await page.goto('about:blank');
        await page.goto(path);
        return { weight, first, second: await firstPaint(page) };
    } finally {
        await browser.close();
    }
}

for (const [path, person] of [['/sign-in', null], ['/', { cookie }]]) {
    const found = [];
    for (let count = 0; count < VISITS; ++count) {
        found.push(await visit(path, person));
    }
    const paints = found.map((one) => one.first);
    console.log(`${path.padEnd(10)} ${Math.max(...found.map((one) => one.weight))} bytes, first paint median `
        + `${median(paints)} ms, slowest ${Math.round(Math.max(...paints))} ms; second visit median `
        + `${median(found.map((one) => one.second))} ms`);
}
