import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gradedQuestion } from '@evaluation/grader/evidence';
import { closedAfterTests } from '@evaluation/test-services';
import { newTestExam } from '../harness/testExam.ts';
import { startIdleService } from '../harness/tenant.ts';
import { NOTHING_USED, testWorker, type recordedResult } from '../harness/testWorker.ts';

/* What a worker records of a question has bounds, which the grader keeps and core checks (packages/rules). */

const service = closedAfterTests(await startIdleService({ LEASE_SECONDS: '300' }));

/** A claimed run of a queued submission, and the question that waits for the AI. */
const newClaim = async () => {
  const made = await newTestExam(service);
  const submission = await made.reach('queued');
  const claim = await testWorker(service).claim(submission.id);
  const question = claim.material.questions.find(({ label }) => label === '2');
  if (question === undefined) throw new Error('the paper has no question 2');
  return { submission, claim, question };
};
type Claim = Awaited<ReturnType<typeof newClaim>>;
const record = ({ claim }: Claim, result: ReturnType<typeof recordedResult>) =>
  service.grading.as({}).grading.record.mutate({
    held: claim.held,
    questions: [{ result }],
    used: NOTHING_USED,
  });

test('the longest of everything that a grader may say is cut and recorded', async () => {
  const long = fc
    .tuple(fc.constantFrom('a', 'é', 'अ', '😀', '\n'), fc.nat(130_000))
    .map(([unit, times]) => unit.repeat(times));
  const judgements = fc.record({
    feedback: long,
    text: long,
    criteria: fc.array(fc.record({ name: long, reason: long }), { maxLength: 3 }),
    count: fc.nat(300),
  });
  await fc.assert(
    fc.asyncProperty(judgements, async ({ feedback, text, criteria, count }) => {
      const made = await newClaim();
      const box = { x: 0, y: 0, width: 1, height: 1 };
      const outcome = gradedQuestion(
        made.question,
        { text, legibility: null, blocks: [] },
        {
          awarded: 1,
          confidence: 0.9,
          reviewReasons: [],
          feedback,
          criteria: Array.from({ length: count }, (_, index) => ({
            name: criteria[index]?.name ?? 'Criterion',
            awarded: 0,
            max: 1,
            reason: criteria[index]?.reason ?? 'None.',
            evidence: null,
          })),
          annotations: Array.from({ length: count }, () => ({
            page: 1,
            kind: 'comment' as const,
            box,
            text: feedback,
          })),
        },
      );
      await record(made, { ...outcome, error: null });
      await made.claim.complete({ '3': 1 });
      expect(await made.submission.question('2')).toMatchObject({ status: 'graded', awarded: 1 });
    }),
    { numRuns: 12 },
  );
});
