import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { expect, test } from 'vitest';
import { closedAfterTests } from '@evaluation/test-services';
import { blankPdf } from '../../harness/pdfs.ts';
import { startService } from '../../harness/service.ts';
import { compile, newGeneratedFolder, programOn, runNode } from '../../harness/generatedFolder.ts';

test('a client of hey-api, made from the served document, takes every type of question from creation to final marks', async () => {
  const service = closedAfterTests(await startService());
  const { folder, remove } = await newGeneratedFolder();
  try {
    await createClient({
      input: `${service.baseUrl}/openapi.json`,
      output: join(folder, 'api'),
      logs: { level: 'silent' },
    });
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    const life = await programOn(new URL('./hey-api-client.md', import.meta.url));
    // The generator's own files do not keep to exactOptionalPropertyTypes.
    expect(await compile(folder, { life }, { exactOptionalPropertyTypes: false })).toEqual({
      code: 0,
      output: '',
    });

    const readOnly = await service.newInstitute({ scopes: ['evaluation:read'] });
    const poor = await service.newInstitute({ credits: 0 });
    const copy = join(folder, 'copy.pdf');
    await writeFile(copy, blankPdf());
    const { code, output } = await runNode(
      join(folder, 'life.js'),
      service.baseUrl,
      service.api.apiKey,
      readOnly.api.apiKey,
      poor.api.apiKey,
      copy,
    );
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(JSON.parse(output)).toEqual({
      institute: 'First Institute',
      put: 200,
      checked: 'ready',
      copied: 'copy_unreadable',
      metadata: { batch: 7 },
      awarded: [1, 2, 1, 2, 1, 0.5],
      overridden: 1.5,
      finalized: { skipped: [] },
      final: [true, 8.5],
      refusals: [
        '400 invalid_cursor',
        '401 invalid_api_key',
        '402 insufficient_credits',
        '403 insufficient_scope',
        '404 exam_not_found',
        '409 exam_exists',
        '409 submission_finalized',
        '422 validation_failed',
      ],
    });
  } finally {
    await remove();
  }
});
