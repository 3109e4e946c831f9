// The packages are in the build folder of NODE_PATH, which only require() searches, not import.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export const { chromium } = require('playwright-core');
export const axeSource = require('axe-core').source;
