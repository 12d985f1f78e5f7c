import type { RecordedQuestion } from '@evaluation/core-client';
import type { GivenAnswer, MarkedQuestion } from '@evaluation/rules/grading-model';
import type { HeldRun } from './heldRun.ts';
import { judgeQuestion, type OfCopy } from './judgeQuestion.ts';
import { lookUp } from './judgementOf.ts';
import { lacksRubric, withRubric } from './rubrics.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

export interface AskedAnswer {
  question: MarkedQuestion;
  answer: GivenAnswer;
}

/**
 * Looks up the answers of a run in one call. An answer whose question must first get a rubric is looked up later, when
 * the rubric is available.
 * @returns a function that judges one of the answers and gives the question with its rubric
 */
export const judgeAnswers = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  answers: readonly AskedAnswer[],
  ofCopy?: OfCopy,
) => {
  const ready = await lookUp(
    tools,
    run,
    answers.filter(({ question }) => !lacksRubric(question)),
  );
  const lookedUp = new Map(ready.map((asked) => [asked.question.id, asked]));
  return async ({
    question,
    answer,
  }: AskedAnswer): Promise<{ question: MarkedQuestion; recorded: Promise<RecordedQuestion> }> => {
    const known = lookedUp.get(question.id);
    if (known !== undefined) return { question, ...(await judgeQuestion(tools, run, usage, known, ofCopy)) };
    const marked = await withRubric(tools, run, usage, question);
    const [asked] = await lookUp(tools, run, [{ question: marked, answer }]);
    if (asked === undefined) throw new Error('an answer was not looked up');
    return { question: marked, ...(await judgeQuestion(tools, run, usage, asked, ofCopy)) };
  };
};
