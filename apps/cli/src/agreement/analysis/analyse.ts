import type { DataSet } from '../data/readData.ts';
import type { Outcome } from '../grading/run.ts';
import type { Plan } from '../grading/tasks.ts';
import type { Learning } from './learn.ts';
import {
  calibrationTable,
  expectedCalibrationError,
  reliability,
  tableLine,
} from '../statistics/calibration.ts';
import { consistencyOf, perturbationEffects } from './again.ts';
import { costOf, type Price } from './cost.ts';
import { flag, flagsOf, GROUP_LINE, LINES } from './flags.ts';
import { measureGroups } from './groups.ts';
import { measure } from './measures.ts';
import { adjacentOf, isAdjacent, isExact, stepOf } from '@evaluation/rules';
import { bandOf, BANDS, type Pair } from './pairs.ts';
import { pairsOf } from './pairsOf.ts';
import { ungradedOf } from './ungraded.ts';
import { trustOf, verdictOf } from './verdict.ts';

interface GraderFacts {
  provider: 'openai' | 'baseline';
  model: string;
  /** The baseline's notice about itself; null for a model. */
  notice: string | null;
  temperature: number | null;
  confidenceTable: string | null;
}

interface AnalysisInput {
  data: DataSet;
  outcomes: readonly Outcome[];
  plan: Plan;
  grader: GraderFacts;
  price: Price | undefined;
  currency: string;
  wallSeconds: number;
  /** [] if nothing was learned. */
  learning: readonly Learning[];
  madeAt: Date;
}

/** Number of answers listed in which human and machine differ most. */
const FARTHEST = 15;

/** Computes all numbers of the report, which the HTML page and the JSON present. */
export const analyse = (input: AnalysisInput) => {
  const { data, outcomes, grader } = input;
  const pairs = pairsOf(data, outcomes, grader.confidenceTable);
  const ungraded = outcomes.filter(({ result }) => result === null);
  const overall = measure(pairs, 'overall');
  const questions = data.questions.all().map(({ id, maxMarks, request }) => {
    const own = pairs.filter(({ questionId }) => questionId === id);
    const measures = measure(own, `question ${id}`);
    const flags = flagsOf('question', id, measures);
    return {
      questionId: id,
      subject: request.exam.subject,
      maxMarks,
      step: stepOf(maxMarks),
      adjacentWithin: adjacentOf(maxMarks),
      trust: trustOf(measures, flags),
      measures,
      bands: bandsOf(own, `question ${id}`),
    };
  });
  const bands = bandsOf(pairs, 'overall');
  const groups = measureGroups(pairs);
  const flags = [
    ...flagsOf('overall', null, overall),
    ...bands.flatMap(({ band, measures }) => flagsOf('band', band, measures)),
    ...groups.flatMap(({ group, dsm }) => flag('group', group, 'dsm', dsm, GROUP_LINE)),
    ...questions.flatMap(({ questionId, measures }) => flagsOf('question', questionId, measures)),
  ];
  const perturbations = perturbationEffects(outcomes);
  const notGraded = ungradedOf(data, outcomes);
  return {
    report: 'agreement/1',
    madeAt: input.madeAt.toISOString(),
    data: {
      sha256: data.sha256,
      answers: data.answers.length,
      questions: questions.length,
      doubleMarked: overall.doubleMarked,
      blank: data.answers.filter(({ blank }) => blank).length,
    },
    grader: {
      ...grader,
      promptVersions: [
        ...new Set(outcomes.flatMap(({ result }) => result?.prompt_versions ?? [])),
      ].toSorted(),
    },
    plan: input.plan,
    verdict: verdictOf({ overall, flags, questions, perturbations, ungraded: notGraded }),
    notGraded,
    lines: { ...LINES, dsm: GROUP_LINE },
    flags,
    overall,
    meanOfQuestions: {
      qwk: meanOf(questions.map(({ measures }) => measures.qwk.value)),
      r: meanOf(questions.map(({ measures }) => measures.r.value)),
    },
    questions,
    bands,
    groups,
    learning: input.learning,
    confusion: confusionOf(pairs),
    calibration: calibrationOf(pairs),
    consistency: consistencyOf(outcomes),
    perturbations,
    cost: costOf(outcomes, grader.provider, input.price, input.currency, input.wallSeconds),
    farthest: pairs
      .filter(({ human, machine }) => human !== machine)
      .toSorted(
        (a, b) =>
          Math.abs(b.machine - b.human) / b.maxMarks - Math.abs(a.machine - a.human) / a.maxMarks ||
          a.line - b.line,
      )
      .slice(0, FARTHEST)
      .map(({ line, id, questionId, maxMarks, human, second, machine, confidence }) => ({
        line,
        id,
        questionId,
        maxMarks,
        human,
        second,
        machine,
        confidence,
      })),
    ungraded: ungraded.map(({ facts, kind, turn, failure }) => ({
      line: facts.line,
      questionId: facts.questionId,
      kind,
      turn,
      failure,
    })),
  };
};
export type Report = ReturnType<typeof analyse>;

const bandsOf = (pairs: readonly Pair[], name: string) =>
  BANDS.map((band) => ({
    band,
    measures: measure(
      pairs.filter((pair) => bandOf(pair) === band),
      `${name}, ${band}`,
    ),
  }));

/** Counts answers by tenths of max_marks, as [human][machine]. */
const confusionOf = (pairs: readonly Pair[]): number[][] => {
  const counts = Array.from({ length: 11 }, () => Array.from({ length: 11 }, () => 0));
  for (const { human, machine, maxMarks } of pairs) {
    const row = counts[Math.round((human / maxMarks) * 10)];
    const column = Math.round((machine / maxMarks) * 10);
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1;
  }
  return counts;
};

const calibrationOf = (pairs: readonly Pair[]) => {
  const judged = (agree: typeof isExact) =>
    pairs.flatMap(({ confidence, human, machine, maxMarks }) =>
      confidence === null ? [] : [{ confidence, agreed: agree(human, machine, maxMarks) }],
    );
  const exact = reliability(judged(isExact));
  const adjacent = reliability(judged(isAdjacent));
  const table = calibrationTable(
    pairs.flatMap(({ rawConfidence, human, machine, maxMarks }) =>
      rawConfidence === null
        ? []
        : [{ confidence: rawConfidence, agreed: isAdjacent(human, machine, maxMarks) }],
    ),
  );
  return {
    bins: adjacent.map(({ from, to, n, meanConfidence, agreed }, index) => ({
      from,
      to,
      n,
      meanConfidence,
      adjacent: agreed,
      exact: exact[index]?.agreed ?? null,
    })),
    expectedError: { adjacent: expectedCalibrationError(adjacent), exact: expectedCalibrationError(exact) },
    table,
    line: table.length === 0 ? null : tableLine(table),
  };
};

const meanOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
};
