// Reads a page of the platform as a program in Node.js would: for tests/bench/page_parsing.py.
//   node page_peer.mjs json|parse5 PAGE CODE ROUNDS
// "json" finds the blocks of data with a regular expression and reads them with JSON.parse; "parse5" parses the page as
// HTML first. Both then look for the post of that code. Prints {"took": [ms of each round], "cpu": seconds of all}.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [how, file, code, rounds] = process.argv.slice(2);
const html = readFileSync(file);

/** Finds the post in a block. */
function find(value) {
    if (value === null || typeof value !== 'object') return undefined;
    if (!Array.isArray(value) && value.code === code && value.video_versions) return value;
    for (const inner of Object.values(value)) {
        const found = find(inner);
        if (found) return found;
    }
    return undefined;
}

function postOf(texts) {
    for (const text of texts) {
        if (!text.includes('xig_polaris_media')) continue;
        const found = find(JSON.parse(text));
        if (found) return found;
    }
    return undefined;
}

const block = /<script\b[^>]*\bdata-sjs[^>]*>(.*?)<\/script>/gs;
const ways = {
    json: text => postOf(Array.from(text.matchAll(block), found => found[1])),
};

if (how === 'parse5') {
    // NODE_PATH serves require() alone.
    const require = createRequire(import.meta.url);
    const { parse } = await import(pathToFileURL(require.resolve('parse5')).href);
    const scripts = (node, texts) => {
        const type = node.nodeName === 'script' && node.attrs.find(one => one.name === 'type');
        if (type && type.value === 'application/json') texts.push(node.childNodes[0]?.value ?? '');
        for (const child of node.childNodes ?? []) scripts(child, texts);
        return texts;
    };
    ways.parse5 = text => postOf(scripts(parse(text), []));
}

const took = [];
const before = process.cpuUsage();
for (let round = 0; round < Number(rounds); ++round) {
    const begun = process.hrtime.bigint();
    // The page is read as bytes, as in our parser's measurement.
    const post = ways[how](html.toString('utf8'));
    took.push(Number(process.hrtime.bigint() - begun) / 1e6);
    if (!post) {
        console.error(`${file}: a page without its post`);
        process.exit(1);
    }
}
const spent = process.cpuUsage(before);
console.log(JSON.stringify({ took, cpu: (spent.user + spent.system) / 1e6 }));
