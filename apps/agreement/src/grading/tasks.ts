import { createHash } from 'node:crypto';
import type { Grader, GraderOptions, JudgeRequest } from '@evaluation/grader';
import type { AnswerFacts, DataSet } from '../data/readData.ts';
import { perturbed, PERTURBATIONS, type Perturbation } from './perturbations.ts';

/** `first`: as written; `repeat`: the same once more; else changed in a way that should not change its marks. */
export type Kind = 'first' | 'repeat' | Perturbation;

/** One judgement to be made. */
export interface Task {
  facts: AnswerFacts;
  kind: Kind;
  /** 1 for the first judgement of an answer as it was written, 2 for its first repetition, … */
  turn: number;
  request: JudgeRequest;
  /** Names the judgement in the results file; the same for the same line, grader and kind (hex). */
  key: string;
}

export interface Plan {
  /** Judgements of the same answer as it stands, 1 for none again. */
  repeats: number;
  /** How many answers are repeated and perturbed. */
  sample: number;
}

/** The answers that are graded more than once: which they are does not change with the order of the lines. */
export const sampled = (answers: readonly AnswerFacts[], size: number): Set<number> =>
  new Set(
    answers
      .filter(({ blank }) => !blank)
      .toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : a.sha256 > b.sha256 ? 1 : a.line - b.line))
      .slice(0, size)
      .map(({ line }) => line),
  );

/** How many judgements a plan asks for; blank answers take none. */
export const countTasks = ({ answers }: DataSet, plan: Plan): number => {
  const written = answers.filter(({ blank }) => !blank).length;
  return written + sampled(answers, plan.sample).size * (plan.repeats - 1 + PERTURBATIONS.length);
};

/** All tasks of a plan, answer by answer, one text at a time. */
export async function* tasksOf(
  data: DataSet,
  plan: Plan,
  grader: Grader,
  identity: string,
): AsyncGenerator<Task> {
  const again = sampled(data.answers, plan.sample);
  for await (const { facts, text } of data.texts()) {
    const question = data.questions.get(facts.questionId);
    if (facts.blank || question === undefined) continue;
    const task = (kind: Kind, turn: number, answer: string): Task => {
      const request = { ...question.request, answer: { text: answer, legibility: null, blocks: [] } };
      return { facts, kind, turn, request, key: keyOf(grader, identity, request, kind, turn) };
    };
    yield task('first', 1, text);
    if (!again.has(facts.line)) continue;
    for (let turn = 2; turn <= plan.repeats; turn += 1) yield task('repeat', turn, text);
    for (const kind of PERTURBATIONS) yield task(kind, 1, perturbed(text, kind, facts.line));
  }
}

/**
 * All of a grader's options that decide its judgements, as text. Not among them: the key, how much is asked at once, how
 * long a reply may be, what a call costs, and the confidence table, which is applied to the raw confidence when the report is made.
 */
export const identityOf = (options: GraderOptions): string => {
  if (options.provider === 'baseline') return options.provider;
  const {
    apiKey: _key,
    maxConcurrentCalls: _calls,
    callTimeoutSeconds: _time,
    confidenceTable: _table,
    outputLimit: _limit,
    maxOutputTokens: _tokens,
    serviceTier: _tier,
    sendPromptCacheKey: _cache,
    log: _log,
    ...rest
  } = options;
  return JSON.stringify(
    Object.entries(rest)
      .filter(([, value]) => typeof value !== 'function')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
};

/** `judgementKey` adds the prompt's version; the baseline has none and is asked again each time. */
const keyOf = (grader: Grader, identity: string, request: JudgeRequest, kind: Kind, turn: number): string =>
  createHash('sha256')
    .update(JSON.stringify([identity, grader.judgementKey(request), request, kind, turn]))
    .digest('hex');
