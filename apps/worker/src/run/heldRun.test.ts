import { coreOverHttp } from '@evaluation/core-client';
import { createLogger } from '@evaluation/platform/telemetry';
import { expect, test } from 'vitest';
import { holdRun } from './heldRun.ts';
import { runMaterial } from '../../test/runMaterial.ts';

test('a held run has its institute id, which model calls take as CallOptions', () => {
  const institute = 'f6a1d2b3-0000-4a50-9a3d-1f6f0d2f8e11';
  const core = coreOverHttp({ url: 'http://127.0.0.1:9', token: 'g'.repeat(32) });
  const log = createLogger({ service: 'worker', level: 'silent' });
  const run = holdRun(core, { ...runMaterial('typed'), institute_id: institute }, log);
  expect(run.institute).toBe(institute);
  run.close();
});
