import { randomUUID } from 'node:crypto';
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
