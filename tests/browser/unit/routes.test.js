import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
    isPublic, matchRoute, momentOfFragment, pageAfterSignIn, pathWithQuery,
} from '../../../src/dashboard/web/core/routes.js';

test('each address has its page', () => {
    assert.equal(matchRoute('/').name, 'reels');
    assert.deepEqual(matchRoute('/reels/42'), { name: 'reel', id: '42' });
    assert.deepEqual(matchRoute('/reels/42/compare/41'), { name: 'compare', id: '42', other: '41' });
    for (const name of ['tokens', 'webhooks', 'usage', 'account', 'admin', 'join']) {
        assert.equal(matchRoute(`/${name}`).name, name);
    }
    assert.equal(matchRoute('/sign-in').name, 'sign_in');
});

test('unknown paths have no page', () => {
    for (const path of ['/reels', '/reels/', '/reels/0', '/reels/-1', '/reels/1x', '/reels/1/compare', '/reels/1/compare/x', '/docs', '/tokens/']) {
        assert.equal(matchRoute(path), null, path);
    }
});

test('signed-out users see only the sign-in page', () => {
    assert.ok(isPublic('sign_in') && isPublic('join'));
    assert.ok(!isPublic('reels') && !isPublic(undefined));
});

test('sign-in leads to a page of this site or to the first page', () => {
    assert.equal(pageAfterSignIn('/reels/42#t=1.5'), '/reels/42#t=1.5');
    assert.equal(pageAfterSignIn('/?q=bread'), '/?q=bread');
    for (const elsewhere of [null, '', '//evil.test/', '/\\evil.test', 'https://evil.test', '/docs', '/sign-in',
        'javascript:alert(1)']) {
        assert.equal(pageAfterSignIn(elsewhere), '/', String(elsewhere));
    }
});

test('parameters without a value are left out', () => {
    assert.equal(pathWithQuery('/', { q: '', status: null, author: undefined }), '/');
    assert.equal(pathWithQuery('/', { q: 'a & b', limit: 5 }), '/?q=a+%26+b&limit=5');
});

test('a fragment contains a time', () => {
    assert.equal(momentOfFragment('#t=12.5'), 12.5);
    assert.equal(momentOfFragment('#t=0'), 0);
    for (const other of ['', '#', '#t=', '#t=-1', '#t=1e9', '#content']) {
        assert.equal(momentOfFragment(other), null, other);
    }
});
