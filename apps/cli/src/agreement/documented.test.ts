import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createGrader } from '@evaluation/grader';
import { readOptions } from './options.ts';

const page = await readFile(new URL('../../../../docs/agreement.md', import.meta.url), 'utf8');

test('docs/agreement.md shows the result of the current baseline on the sample set', async () => {
  const baseline = await createGrader({ provider: 'baseline' });
  expect(page, 'run the sample set again and put its numbers there').toContain(
    `The baseline (\`${baseline.model}\`)`,
  );
  await baseline.close();
});

test('docs/agreement.md states the defaults of the plan', () => {
  expect(page).toContain(`--sample ${readOptions(['--data', 'x'])?.sample}`);
});
