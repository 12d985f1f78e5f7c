import { defineConfig, mergeConfig } from 'vitest/config';
import all from '../../../vitest.config.ts';

const { test, ...rest } = all;
const { include: _include, ...ofTests } = test ?? {};

/** For scripts that need the services and the browser of the tests, and are no tests (`npm run desk:measure`). */
export default mergeConfig(
  { ...rest, test: ofTests },
  defineConfig({
    root: `${import.meta.dirname}/../../..`,
    test: {
      include: ['tests/desk/measure/*.script.ts', 'tools/truth/*.script.ts'],
      testTimeout: 1_800_000,
      hookTimeout: 1_800_000,
    },
  }),
);
