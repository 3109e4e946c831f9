// Names of browsers in the list of sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from '../../../src/dashboard/web/account/browser_names.js';

test('a browser and its system are named', () => {
    const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
    assert.equal(browserName(chrome), 'Chrome on Linux');
    assert.equal(browserName(`${chrome} Edg/140.0.0.0`), 'Edge on Linux');
    assert.equal(browserName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) '
        + 'Version/18.5 Mobile/15E148 Safari/604.1'), 'Safari on iOS');
    assert.equal(browserName('Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0'), 'Firefox on Windows');
});

test('other programs have the beginning of their name', () => {
    assert.equal(browserName('curl/8.14.1'), 'curl/8.14.1');
    assert.equal(browserName(''), 'Unknown browser');
});
