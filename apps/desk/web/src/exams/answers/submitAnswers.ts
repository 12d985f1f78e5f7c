import type { AnswerInput, CandidateInput } from '@evaluation/rest-contract/schemas';
import { client, withKey } from '../../app/calls.ts';
import { failureIn, textOfError } from '../../app/failures.ts';
import { newKey } from '../../app/newKey.ts';
import { problemsIn } from '../../app/fieldProblems.ts';

/** The answers of one candidate, from a line of a file. */
interface AnswersOfLine {
  line: number;
  candidate: CandidateInput;
  answers: AnswerInput[];
}

export interface Outcome {
  line: number;
  external_id: string;
  /** Null if the answers were accepted. */
  refusal: string | null;
}

const AT_ONCE = 3;

/** Idempotency key of each line. A second attempt after a lost answer has the same key, so it submits nothing twice. */
const keys = new WeakMap<AnswersOfLine, string>();

const keyOf = (line: AnswersOfLine): string => {
  const key = keys.get(line) ?? `answers:${newKey()}`;
  keys.set(line, key);
  return key;
};

/** Submits the answers of each candidate and reports each outcome as soon as it is known. */
export const submitAnswers = async (
  examId: string,
  lines: readonly AnswersOfLine[],
  onOutcome: (outcome: Outcome) => void,
): Promise<void> => {
  const waiting = [...lines];
  const next = async (): Promise<void> => {
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      const { line: number, answers, candidate } = line;
      const outcome = { line: number, external_id: candidate.external_id };
      try {
        const context = withKey(keyOf(line));
        await client.submissions.create.mutate(
          { exam_id: examId, body: { candidate, answers } },
          { context },
        );
        onOutcome({ ...outcome, refusal: null });
      } catch (error) {
        const texts = [...problemsIn(failureIn(error)?.details).values()];
        onOutcome({ ...outcome, refusal: texts.length > 0 ? texts.join(' ') : textOfError(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
};
