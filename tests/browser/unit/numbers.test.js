import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    countOf, exactMoney, formatBytes, formatCount, formatMoney, formatShortCount,
} from '../../../src/dashboard/web/text/numbers.js';

test('money has two decimals, and below ten cents three significant digits', () => {
    assert.equal(formatMoney(0.811), '$0.81');
    assert.equal(formatMoney(0.1), '$0.10');
    assert.equal(formatMoney(0), '$0');
    assert.equal(formatMoney(1234.567), '$1,234.57');
    assert.equal(formatMoney(3.2), '$3.20');
    assert.equal(formatMoney(0.5), '$0.50');
    assert.equal(formatMoney(0.04859), '$0.0486');
    assert.equal(formatMoney(0.000486), '$0.000486');
    assert.equal(formatMoney(0.9999), '$1.00');
    assert.equal(formatMoney(-0.25), '-$0.25');
});

test('an unknown cost is not 0', () => {
    assert.equal(formatMoney(null), 'unknown');
    assert.equal(formatMoney(undefined), 'unknown');
});

test('exact money has no exponent and no rounding noise', () => {
    assert.equal(exactMoney(0.1 + 0.2), '0.3');
    assert.equal(exactMoney(0.00000048612), '0.00000048612');
    assert.equal(exactMoney(5), '5');
    assert.equal(exactMoney(0), '0');
});

test('counts and sizes', () => {
    assert.equal(formatCount(312400), '312,400');
    assert.equal(formatCount(null), 'unknown');
    assert.equal(formatShortCount(312400), '312.4K');
    assert.equal(formatBytes(999), '999 bytes');
    assert.equal(formatBytes(4312800), '4.3 MB');
    assert.equal(countOf(1, 'reel'), '1 reel');
    assert.equal(countOf(1200, 'reel'), '1,200 reels');
    assert.equal(countOf(0, 'entry', 'entries'), '0 entries');
});
