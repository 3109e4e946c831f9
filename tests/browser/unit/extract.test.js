// Extracted values: labels, shapes, and recipes for recipe managers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, labelOf, shapeOf, textOf } from '../../../src/dashboard/web/extract/labels.js';
import { isRecipe, recipeFileName, recipeJsonLd } from '../../../src/dashboard/web/extract/recipe_data.js';

test('names of a schema become labels', () => {
    for (const [name, label] of [
        ['recipeIngredient', 'Recipe ingredient'], ['opening_hours', 'Opening hours'], ['name', 'Name'],
        ['priceUSD', 'Price USD'], ['URLs', 'URLs'], ['HTMLText', 'HTML text'], ['step2Text', 'Step2 text'], ['x', 'X'],
    ]) {
        assert.equal(labelOf(name), label);
    }
});

test('each value has a shape', () => {
    const cases = [
        [null, 'none'], ['', 'none'], [[], 'none'], ['a', 'text'], [0, 'text'], [false, 'text'], [['a', 'b'], 'list'],
        [[{ a: 1 }, { a: null, b: 'x' }], 'table'], [[{ a: [1] }], 'objects'], [['a', { b: 1 }], 'objects'],
        [[{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }], 'objects'], [{ a: 1 }, 'object'],
    ];
    for (const [value, shape] of cases) {
        assert.equal(shapeOf(value), shape, JSON.stringify(value));
    }
    assert.deepEqual(columnsOf([{ a: 1, b: null }, { c: 'x', b: null }]), ['a', 'c']);
});

test('simple values are readable', () => {
    for (const [value, text] of [
        ['PT1H25M', '1 h 25 min'], ['PT5M', '5 min'], ['PT2H', '2 h'], ['PT1M45S', '1 min 45 s'], ['P1D', 'P1D'], ['PT', 'PT'], [true, 'yes'], [false, 'no'],
        [12.5, '12.5'], [0, '0'], [null, 'none'],
    ]) {
        assert.equal(textOf(value), text);
    }
});

const RECIPE = {
    name: 'Crème brûlée, quick!', description: null, recipeIngredient: ['2 eggs', '200 ml cream'], keywords: [],
    recipeInstructions: ['Whisk.', { text: 'Bake.' }], totalTime: 'PT40M', recipeYield: '4 servings',
};

test('a recipe is JSON-LD with one HowToStep for each step and the link of its post', () => {
    const post = { url: 'https://www.instagram.com/reel/DYa0IXPgnP5/', author: 'ann', author_name: 'Ann B.' };
    assert.deepEqual(recipeJsonLd(RECIPE, post), {
        '@context': 'https://schema.org', '@type': 'Recipe', name: 'Crème brûlée, quick!',
        recipeIngredient: ['2 eggs', '200 ml cream'], totalTime: 'PT40M', recipeYield: '4 servings',
        recipeInstructions: [{ '@type': 'HowToStep', text: 'Whisk.' }, { '@type': 'HowToStep', text: 'Bake.' }],
        author: { '@type': 'Person', name: 'Ann B.' }, url: 'https://www.instagram.com/reel/DYa0IXPgnP5/',
    });
    const unnamed = recipeJsonLd({ ...RECIPE, '@type': 'Person' }, { url: 'upload:clip.mp4', author: null });
    assert.equal(unnamed['@type'], 'Recipe');
    assert.equal(unnamed.url, undefined);
    assert.equal(unnamed.author, undefined);
    assert.equal(recipeFileName(RECIPE), 'cre-me-bru-le-e-quick.json');
    assert.equal(recipeFileName({ name: '!' }), 'recipe.json');
});

test('only a value with name, ingredients and steps is a recipe', () => {
    assert.ok(isRecipe(RECIPE));
    for (const value of [null, {}, { ...RECIPE, name: '' }, { ...RECIPE, recipeIngredient: 'eggs' }, { name: 'x' }]) {
        assert.ok(!isRecipe(value), JSON.stringify(value));
    }
});
