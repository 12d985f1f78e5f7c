import { defineConfig } from 'oxfmt';

export default defineConfig({
  singleQuote: true,
  printWidth: 110,
  sortPackageJson: false,
  ignorePatterns: [
    'package-lock.json',
    '**/generated',
    'coverage',
    'dist',
    '.data',
    '.turbo',
    // Texts and papers that are test material, byte for byte.
    'tests/fixtures/bad',
    'packages/samples/copies',
    'tests/fixtures/copies',
    // Printed by `npm run generate:core-client`, a line for each procedure.
    'packages/core-client/packed/procedures.d.ts',
    // Made by a script and compared byte for byte.
    'packages/reader/weights',
    // Go templates, which only look like YAML, and schemas as their projects publish them.
    'charts/*/templates',
    'tests/chart/kubernetes/schemas.json',
  ],
});
