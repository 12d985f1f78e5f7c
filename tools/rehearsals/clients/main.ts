import { deepStrictEqual } from 'node:assert';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStandaloneSettings } from '@evaluation/platform/settings';
import { startStandalone } from '@evaluation/standalone';
import { blankPdf } from '../../../tests/harness/pdfs.ts';
import { livePython } from './python.ts';

/**
 * `npm run clients`: makes clients with generators of other languages from the document of a running service, and takes
 * each through a whole life: every type of question, an upload, the feed, an override, final marks and refusals. Needs
 * python3 with pip, and PyPI. Clients in TypeScript are tests (tests/rest/conventions).
 */
const EXPECTED = {
  institute: 'First Institute',
  put: 200,
  checked: 'ready',
  copied: 'copy_unreadable',
  objective: [1, 2, 1, 2, 1],
  overridden: 1.5,
  finalized: true,
  refusals: [
    '401 invalid_api_key',
    '404 exam_not_found',
    '409 exam_exists',
    '409 submission_finalized',
    '422 validation_failed',
  ],
};

const folder = await mkdtemp(join(tmpdir(), 'clients-'));
const settings = {
  DATA_DIR: join(folder, 'data'),
  PORT: '0',
  CORE_PORT: '0',
  DESK_PORT: '0',
  LOG_LEVEL: 'error',
};
const service = await startStandalone(readStandaloneSettings(settings));
try {
  const copy = join(folder, 'copy.pdf');
  await writeFile(copy, blankPdf());
  const apiKey = service.installation.first_key?.api_key ?? '';
  const printed = await livePython(folder, { baseUrl: service.baseUrl, apiKey }, copy);
  deepStrictEqual(JSON.parse(printed), EXPECTED);
  console.log('openapi-python-client: a whole life, without a fault');
} finally {
  await service.close();
  await rm(folder, { recursive: true, force: true });
}
