import type { PerturbationEffect } from './again.ts';
import { LINES, type Flag } from './flags.ts';
import type { Measures } from './measures.ts';

/** Minimum number of marked answers of a question for a verdict. */
const ENOUGH_ANSWERS = 30;

export type Trust = 'trusted' | 'not shown' | 'not trusted';

interface Verdict {
  trust: Trust;
  /** Sentences, the most important first. */
  says: string[];
  trusted: string[];
  notShown: string[];
  notTrusted: string[];
}

/**
 * `trusted`: no flag, at least 30 answers, and the interval of the kappa lies above its line. `not trusted`: at least
 * one flag. `not shown`: too few answers, or too wide an interval.
 */
export const trustOf = (measures: Measures, flags: readonly Flag[]): Trust => {
  if (flags.length > 0) return 'not trusted';
  const shown = measures.n >= ENOUGH_ANSWERS && (measures.qwk.low ?? -1) >= LINES.qwk.least;
  return shown ? 'trusted' : 'not shown';
};

interface VerdictInput {
  overall: Measures;
  flags: readonly Flag[];
  questions: readonly { questionId: string; trust: Trust }[];
  perturbations: readonly PerturbationEffect[];
  ungraded: Ungraded;
}

export interface Ungraded {
  /** Unchanged answers without a judgement. */
  answers: number;
  outOf: number;
  /** Reasons, as the end of a sentence. */
  because: string;
  /** Repetitions and changed answers without a judgement. */
  again: number;
}

export const verdictOf = (input: VerdictInput): Verdict => {
  const { overall, flags, questions } = input;
  const namesWith = (trust: Trust): string[] =>
    questions.flatMap((each) => (each.trust === trust ? [each.questionId] : []));
  const overallFlags = flags.filter(({ scope }) => scope === 'overall');
  const trust = trustOf(overall, overallFlags);
  const verdict = {
    trust,
    trusted: namesWith('trusted'),
    notShown: namesWith('not shown'),
    notTrusted: namesWith('not trusted'),
  };
  return { ...verdict, says: [...headline(input.ungraded), ...body(input, verdict, overallFlags.length)] };
};

const headline = ({ answers, outOf, because }: Ungraded): string[] =>
  answers === 0 ? [] : [`${answers} of ${outOf} answers could not be graded, because ${because}.`];

const body = (input: VerdictInput, verdict: Omit<Verdict, 'says'>, crossed: number): string[] =>
  isNothingGraded(input.ungraded)
    ? ['No answer was graded, so this grader cannot be judged.']
    : [...sentencesOn(verdict, crossed), ...cautions(input)];

/** Whether no answer was graded. Blank answers do not count, because code marks them. */
export const isNothingGraded = ({ answers, outOf }: Pick<Ungraded, 'answers' | 'outOf'>): boolean =>
  answers > 0 && answers === outOf;

const sentencesOn = (
  { trust, trusted, notShown, notTrusted }: Omit<Verdict, 'says'>,
  crossed: number,
): string[] => {
  const says: string[] = [];
  if (trust === 'not trusted') {
    says.push(
      `A teacher must check these marks: over all questions together ${crossed} of 6 lines ${crossed === 1 ? 'is' : 'are'} crossed.`,
    );
  } else if (trust === 'trusted') {
    says.push('Over all questions together these marks agree with the human marks, and no line is crossed.');
  } else {
    says.push(
      'No line is crossed over all questions, but these answers are too few to show that the marks can be trusted.',
    );
  }
  if (trusted.length > 0) {
    says.push(
      `May be trusted as first marks, with the usual review of low confidence, for: ${trusted.join(', ')}.`,
    );
  }
  if (notTrusted.length > 0) says.push(`Not for: ${notTrusted.join(', ')}.`);
  if (notShown.length > 0) {
    says.push(
      `Too few answers for a verdict (each question needs at least ${ENOUGH_ANSWERS}, more if its interval is wide): ${notShown.join(', ')}.`,
    );
  }
  return says;
};

const cautions = ({ flags, perturbations, ungraded }: VerdictInput): string[] => {
  const says: string[] = [];
  const bands = flags.filter(({ scope }) => scope === 'band').map(({ name }) => name ?? '');
  if (bands.length > 0) {
    says.push(
      `Marks in the ${listed([...new Set(bands)])} of the range need a check: agreement is below a line there.`,
    );
  }
  const groups = flags.filter(({ scope }) => scope === 'group');
  if (groups.length > 0) {
    const sure = groups.some(({ certain }) => certain);
    const each = groups.map(
      ({ name, estimate }) => `${name ?? ''} more ${(estimate.value ?? 0) > 0 ? 'generously' : 'severely'}`,
    );
    says.push(
      `Groups ${sure ? 'are' : 'may be'} marked differently than by people: ${each.join(', ')}${sure ? '' : ' (the interval includes a difference of 0)'}.`,
    );
  }
  const injected = perturbations.find(({ perturbation }) => perturbation === 'injection');
  if (injected !== undefined && injected.raised > 0) {
    says.push(
      `Text that addresses the grader raised the marks of ${Math.round(injected.raised * injected.answers)} of ${injected.answers} answers.`,
    );
  }
  if (ungraded.again > 0) {
    says.push(
      `${ungraded.again} repetitions or changed answers could not be graded and are left out of every number.`,
    );
  }
  return says;
};

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
