import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { folderForTests } from '@evaluation/test-services';
import { compile, runNode } from '../harness/generatedFolder.ts';
import { restSuite } from '../harness/restSuite.ts';
import { installationOf } from '../harness/staff.ts';
import { newTestExam } from '../harness/testExam.ts';
import { packCoreClient } from './pack.ts';

const run = promisify(execFile);
const { service } = await restSuite();
const folder = await folderForTests('core-client-');
const project = join(folder, 'project');

const PROGRAM = `
import { markWithGuide } from './markWithGuide.js';
const options = JSON.parse(process.argv[2] ?? '');
const changed = await markWithGuide({ ...options, ask: async ({ text }) => (text.startsWith('Plants') ? 2 : 0), agree: async () => true });
console.log(JSON.stringify({ changed }));
`;

test('the packed client installs and type-checks in an empty project, and runs the example for internal teams', async () => {
  const tarball = await packCoreClient(folder);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });

  const example = await readFile(new URL('../../docs/examples/markWithGuide.ts', import.meta.url), 'utf8');
  const markWithGuide = example.replace('@evaluation/platform/signed-actor', '@evaluation/core-client');
  const own = { target: 'es2022', types: [], skipLibCheck: false };
  expect(await compile(project, { markWithGuide }, own)).toEqual({ code: 0, output: '' });

  const mistaken = markWithGuide.replace('exam_id: examId, number })', 'exam: examId, number })');
  expect(mistaken).not.toBe(markWithGuide);
  expect((await compile(project, { mistaken }, { ...own, noEmit: true })).output).toMatch(/error TS\d+/);

  const made = await newTestExam(service);
  const texts = ['Plants eat light.', 'Plants eat light!', 'Roots drink water.', 'Stones sleep.'];
  await made.gradedWith([...texts, ...texts, ...texts]);
  const installation = await installationOf(service);
  await writeFile(join(project, 'main.js'), PROGRAM);
  const { code, output } = await runNode(
    join(project, 'main.js'),
    JSON.stringify({
      coreUrl: installation.core_url,
      token: installation.tokens.public,
      actorSigningKey: installation.actor_signing_key,
      teacher: { instituteId: made.tenant.instituteId, staffId: randomUUID(), role: 'admin' },
      examId: made.exam.id,
      questionId: made.questionId('2'),
    }),
  );
  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^\{"changed":[1-9]\d*\}\n$/) });
});
