import pLimit from 'p-limit';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import { judgeQuestion } from '../run/judgeQuestion.ts';
import { withRubric } from '../run/rubrics.ts';
import type { UsageCount } from '../run/usage.ts';

/** Maximum number of answers of one run that wait for a batch at once; bounds the memory of their prompts. */
const IN_BATCHES = 20;

/**
 * Typed lane: judges the long answers. Objective answers were marked by key at submission
 * (docs/api/submissions.md#submit).
 */
export const gradeTyped = async (tools: Tools, run: HeldRun, usage: UsageCount): Promise<void> => {
  const questions = new Map(run.material.questions.map((question) => [question.id, question]));
  await run.write((grading, held) => grading.recordStep.mutate({ held, step: 'grading' }));
  const { concurrency, batches } = tools.settings;
  // With batches, questions wait concurrently: one after the other they would take hours each.
  const limit = pLimit(
    batches === null ? concurrency.questions : Math.max(concurrency.questions, IN_BATCHES),
  );
  await limit.map(run.material.answers, async ({ question_id, text }) => {
    const question = questions.get(question_id);
    if (question === undefined)
      throw new Error(`run ${run.material.run_id}: an answer to a question that is not on its paper`);
    const marked = await withRubric(tools, run, usage, question);
    await judgeQuestion(tools, run, usage, marked, { text, legibility: null, blocks: [] });
  });
  await run.write((grading, held) =>
    grading.complete.mutate({
      held,
      completion: {
        checked_copy: null,
        review_reasons: [],
        ...usage.sofar(),
      },
    }),
  );
};
