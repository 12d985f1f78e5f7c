import pLimit from 'p-limit';
import type { Tools } from '../run/tools.ts';
import type { HeldRun } from '../run/heldRun.ts';
import { judgeAnswers } from '../run/judgeAnswers.ts';
import type { UsageCount } from '../run/usage.ts';

/**
 * Typed lane: judges the long answers. Objective answers were marked by key at submission
 * (docs/api/submissions.md#submit).
 */
export const gradeTyped = async (tools: Tools, run: HeldRun, usage: UsageCount): Promise<void> => {
  const questions = new Map(run.material.questions.map((question) => [question.id, question]));
  const answers = run.material.answers.map(({ question_id, text }) => {
    const question = questions.get(question_id);
    if (question === undefined)
      throw new Error(`run ${run.material.run_id}: an answer to a question that is not on its paper`);
    return { question, answer: { text, legibility: null, blocks: [] } };
  });
  const judge = await judgeAnswers(tools, run, usage, answers);
  const limit = pLimit(tools.settings.concurrency.questions);
  await limit.map(answers, (asked) => judge(asked));
  await run.records.complete({ checked_copy: null, review_reasons: [] });
};
