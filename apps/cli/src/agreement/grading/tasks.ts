import { createHash } from 'node:crypto';
import type { Grader, GraderOptions, JudgeRequest } from '@evaluation/grader';
import type { AnswerFacts, DataSet } from '../data/readData.ts';
import { perturbed, PERTURBATIONS, type Perturbation } from './perturbations.ts';

/** `repeat`: the same answer again; a perturbation: a change that should not affect the marks. */
type Kind = 'first' | 'repeat' | Perturbation;

export interface Task {
  facts: AnswerFacts;
  kind: Kind;
  /** 1 for the first judgement of an unchanged answer, 2 for its first repetition, and so on. */
  turn: number;
  request: JudgeRequest;
  /** Key of the judgement in the results file (hex); depends on line, grader, kind and turn. */
  key: string;
}

export interface Plan {
  /** Number of judgements of each sampled answer; 1 means no repetition. */
  repeats: number;
  /** Number of answers that are repeated and perturbed. */
  sample: number;
}

/** The choice does not depend on the order of lines. */
const sampled = (answers: readonly AnswerFacts[], size: number): Set<number> =>
  new Set(
    answers
      .filter(({ blank }) => !blank)
      .toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : a.sha256 > b.sha256 ? 1 : a.line - b.line))
      .slice(0, size)
      .map(({ line }) => line),
  );

export const countTasks = ({ answers }: DataSet, plan: Plan): number => {
  const written = answers.filter(({ blank }) => !blank).length;
  return written + sampled(answers, plan.sample).size * (plan.repeats - 1 + PERTURBATIONS.length);
};

/** Yields the tasks answer by answer, with one text in memory at a time. */
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
 * Returns the grader's options that affect its judgements, as text. Left out: the API key, concurrency, time limits,
 * reply length, service tier, prompt caching, and the confidence table, which is applied when the report is made.
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

/** `judgementKey` includes the prompt's version; it is null for the baseline, which judges again each time. */
const keyOf = (grader: Grader, identity: string, request: JudgeRequest, kind: Kind, turn: number): string =>
  createHash('sha256')
    .update(JSON.stringify([identity, grader.judgementKey(request), request, kind, turn]))
    .digest('hex');
