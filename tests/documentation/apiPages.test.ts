import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { everyRoute } from '@evaluation/rest-contract';
import { operationsOn } from '@evaluation/rest-contract/api-pages';
import { closedAfterTests } from '@evaluation/test-services';
import { apiClient } from '../harness/api.ts';
import { startIdleService } from '../harness/tenant.ts';
import { stepsOf } from './page.ts';
import type { Names } from './placeholders.ts';
import { runPage } from './runPage.ts';

const folder = join(import.meta.dirname, '../../docs/api');
const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
const withExamples = pages.filter(({ text }) => stepsOf(text).length > 0);

const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const service = closedAfterTests(await startIdleService({ INSPECTION_WAIT_SECONDS: '30' }));

const newInstitute = async () => {
  const provision = service.control.as({}).control;
  const { institute_id } = await provision.createInstitute.mutate({
    name: 'Hill View School',
    credits: 1000,
  });
  const keyWith = async (
    scopes: ('evaluation:read' | 'evaluation:write' | 'evaluation:review' | 'evaluation:finalize')[],
  ) => (await provision.createKey.mutate({ institute_id, scopes })).api_key;
  const names: Names = new Map([
    ['institute_id', institute_id],
    ['read_only_key', await keyWith(['evaluation:read'])],
  ]);
  const every = await keyWith([
    'evaluation:read',
    'evaluation:write',
    'evaluation:review',
    'evaluation:finalize',
  ]);
  return { names, api: apiClient(service.baseUrl, every) };
};

test.skipIf(!hasCurl).each(withExamples)(
  'the examples of docs/api/$name match the answers of the service',
  async ({ text }) => {
    const { names, api } = await newInstitute();
    await runPage(service, api, text, names);
  },
);

test('every operation of the contract is documented on one page', () => {
  const documented = pages.flatMap(({ text }) => operationsOn(text));
  expect(documented.toSorted()).toEqual(
    everyRoute()
      .map(({ operation }) => operation)
      .toSorted(),
  );
});
