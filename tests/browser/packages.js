// The packages lie in the build folder, which NODE_PATH names: an import does not look there, this does.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const { chromium } = require('playwright-core');
export const axeSource = require('axe-core').source;
