import pLimit from 'p-limit';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import { judgeAnswers } from '../run/judgeAnswers.ts';
import type { UsageCount } from '../run/usage.ts';

/** Maximum number of answers of one run that wait for a batch at once; bounds the memory of their prompts. */
const IN_BATCHES = 20;

/**
 * Typed lane: judges the long answers. Objective answers were marked by key at submission
 * (docs/api/submissions.md#submit).
 */
export const gradeTyped = async (tools: Tools, run: HeldRun, usage: UsageCount): Promise<void> => {
  const questions = new Map(run.material.questions.map((question) => [question.id, question]));
  run.records.step('grading');
  const answers = run.material.answers.map(({ question_id, text }) => {
    const question = questions.get(question_id);
    if (question === undefined)
      throw new Error(`run ${run.material.run_id}: an answer to a question that is not on its paper`);
    return { question, answer: { text, legibility: null, blocks: [] } };
  });
  const judge = await judgeAnswers(tools, run, usage, answers);
  const { concurrency, batches } = tools.settings;
  // With batches, questions wait concurrently: one after the other they would take hours each.
  const limit = pLimit(
    batches === null ? concurrency.questions : Math.max(concurrency.questions, IN_BATCHES),
  );
  await limit.map(answers, (asked) => judge(asked));
  await run.records.complete({ checked_copy: null, review_reasons: [] });
};
