import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { markWithGuide } from '../../docs/examples/markWithGuide.ts';
import { installationOf } from '../harness/staff.ts';
import { newTestExam } from '../harness/testExam.ts';
import { restSuite } from '../harness/restSuite.ts';

const { service } = await restSuite();

test('the example for internal teams marks chosen answers and applies what the guide learned', async () => {
  const made = await newTestExam(service);
  const texts = ['Plants eat light.', 'Plants eat light!', 'Roots drink water.', 'Stones sleep.'];
  await made.gradedWith([...texts, ...texts, ...texts]);
  const installation = await installationOf(service);
  const credits = await made.tenant.credits();
  const previews: { changed: number; credits: number }[] = [];
  let asked = 0;
  const changed = await markWithGuide({
    coreUrl: installation.core_url,
    token: installation.tokens.public,
    actorSigningKey: installation.actor_signing_key,
    teacher: { instituteId: made.tenant.instituteId, staffId: randomUUID(), role: 'admin' },
    examId: made.exam.id,
    questionId: made.questionId('2'),
    ask: async ({ text }) => {
      asked += 1;
      return asked > 5 ? null : text.startsWith('Plants') ? 2 : 0;
    },
    agree: async (preview) => {
      previews.push(preview);
      return true;
    },
  });
  expect(asked).toBe(10);
  expect(previews).toMatchObject([{ changed, credits: 0 }]);
  expect(changed).toBeGreaterThan(0);
  expect(await made.tenant.credits()).toEqual(credits);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.runIf(hasPython)(
  'the example in Python signs an actor, reads exams, and names the code of a refusal',
  async () => {
    const made = await newTestExam(service);
    const installation = await installationOf(service);
    const call = (procedure: string, input: unknown) =>
      new Promise<{ output: string; error: string }>((resolve) => {
        const program = fileURLToPath(new URL('../../docs/examples/callCore.py', import.meta.url));
        const env = {
          PATH: process.env['PATH'],
          HOME: process.env['HOME'],
          CORE_URL: installation.core_url,
          CORE_PUBLIC_TOKEN: installation.tokens.public,
          SIGNING_KEY: installation.actor_signing_key,
          INSTITUTE_ID: made.tenant.instituteId,
          STAFF_ID: randomUUID(),
        };
        execFile(
          'python3',
          ['-B', program, procedure, JSON.stringify(input)],
          { env },
          (_failure, output, error) => resolve({ output, error }),
        );
      });
    const listed = await call('exams.get', { exam_id: made.exam.id });
    expect(listed.error).toBe('');
    expect(JSON.parse(listed.output)).toMatchObject({ id: made.exam.id, title: made.exam.title });

    const elsewhere = await call('exams.get', { exam_id: randomUUID() });
    expect(elsewhere.error).toContain('exam_not_found: ');
    const closed = await call('exams.delete', { exam_id: made.exam.id });
    expect(closed.error).toContain('FORBIDDEN: ');
  },
);
