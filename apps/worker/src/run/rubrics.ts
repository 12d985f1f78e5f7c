import { createBackoff, type Backoff } from '@evaluation/backoff';
import { isUnknownProcedure } from '@evaluation/core-client';
import type { MarkedQuestion } from '@evaluation/grading-model';
import { makeRubricRequest, type RubricPart } from '@evaluation/evidence';
import { GraderFailure, RULES_VERSION } from '@evaluation/grader';
import { lacksMaterial } from '@evaluation/rules';
import type { HeldRun } from './heldRun.ts';
import { isOutOfTime } from './outOfTime.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

/** Between two looks at a rubric that another run makes; a model takes some seconds for it. */
const FIRST_LOOK_MS = 250;
const LAST_LOOK_MS = 2000;

/**
 * The question with what it is marked by: a long answer with neither rubric nor model answer gets the one rubric that
 * all copies of the exam are marked by, made here by the first of them (docs/api/rubrics.md#rules; core's `runs/generateRubric.ts`).
 * When it cannot be made, the question stays without, which its result says in `no_rubric`, and the next copy tries again.
 * If this worker dies meanwhile, another run takes over. A core of the release before makes none, and the question stays
 * without too.
 * @throws RunLost, and the GraderFailure of a model that was away until the deadline
 */
export const withRubric = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: MarkedQuestion,
): Promise<MarkedQuestion> => {
  if (question.type !== 'long_answer' || !lacksMaterial(question)) return question;
  try {
    return await withOneRubric(tools, run, usage, question);
  } catch (error) {
    // Also where an older and a newer core answer in turns: what this run began ends with it, and another takes over.
    if (isUnknownProcedure(error)) return question;
    throw error;
  }
};

const withOneRubric = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: MarkedQuestion,
): Promise<MarkedQuestion> => {
  const begin = (failures: number | null) =>
    run.write((grading, held) => grading.beginRubric.mutate({ held, question_id: question.id, failures }));
  let failures: number | null = null;
  const backoff = createBackoff({ firstMs: FIRST_LOOK_MS, lastMs: LAST_LOOK_MS, factor: 1.5 });
  for (;;) {
    const begun = await begin(failures);
    switch (begun.state) {
      case 'made':
        return { ...question, rubric: begun.rubric };
      case 'yours':
        return { ...question, rubric: await makeRubric(tools, run, usage, question) };
      case 'given_up':
        return question;
      case 'busy':
        failures = begun.failures;
        await untilNextLook(run, backoff);
    }
  }
};

const untilNextLook = async (run: HeldRun, backoff: Backoff): Promise<void> => {
  const left = run.deadline.getTime() - Date.now();
  if (left <= 0) throw new GraderFailure('transient', 'a rubric was not made until the deadline');
  await backoff.pause(run.signal, left);
};

/** @returns what core recorded; null when the model cannot make it */
const makeRubric = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: MarkedQuestion,
): Promise<MarkedQuestion['rubric']> => {
  try {
    const answered = await usage.counted(
      tools.grader.makeRubric(makeRubricRequest(run.material.exam, question), run),
    );
    const rubric = { criteria: answered.value };
    const evidence: RubricPart = { question, calls: answered.evidence, rules: RULES_VERSION };
    return await run.write((grading, held) =>
      grading.recordRubric.mutate({ held, question_id: question.id, rubric, evidence, used: usage.sofar() }),
    );
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof GraderFailure) || isOutOfTime(error, run)) throw error;
    tools.log.warn(
      { err: error, run_id: run.material.run_id, question_id: question.id },
      'a rubric could not be made',
    );
    await run.write((grading, held) =>
      grading.giveUpRubric.mutate({ held, question_id: question.id, used: usage.sofar() }),
    );
    return null;
  }
};
