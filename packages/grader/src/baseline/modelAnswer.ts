/** One way to answer in full, as the model answer words it. */
interface Alternative {
  text: string;
  /** Points of a list with more points than marks, of which each earns one mark; null for prose. */
  points: string[] | null;
}

/**
 * Reads a model answer as its author lays it out: alternatives, of which the best counts, and lists of points, of
 * which each earns a mark. Lines that tell how to score are left out, because no answer contains their words.
 */
export const alternativesIn = (modelAnswer: string, maxMarks: number): Alternative[] =>
  splitAlternatives(withoutScoring(modelAnswer, maxMarks)).map((text) => ({
    text,
    points: pointsIn(text, maxMarks),
  }));

/** "OR" in capitals, and "or:" or "or" alone at the beginning of a line. An "or" in a sentence is part of it. */
const BETWEEN_ALTERNATIVES = /\s+OR\b:?\s+|\n\s*or(?::\s*|\s*\n)/u;
const BETWEEN_SHORT_ALTERNATIVES = /\s+\/\s+/u;
const SENTENCE_END = /[.!?;]\s|\n/u;
/** Longest alternative between slashes; between longer texts a slash is not a choice of whole answers. */
const MOST_WORDS_OF_A_SHORT_ALTERNATIVE = 6;

const splitAlternatives = (text: string): string[] => {
  const parts = text.split(BETWEEN_ALTERNATIVES).filter(hasWords);
  if (parts.length > 1) return parts;
  const short = text.split(BETWEEN_SHORT_ALTERNATIVES).filter(hasWords);
  const isChoice =
    short.length > 1 &&
    !SENTENCE_END.test(text.trim()) &&
    short.every((part) => part.trim().split(/\s+/u).length <= MOST_WORDS_OF_A_SHORT_ALTERNATIVE);
  return isChoice ? short : parts;
};

/** Fewest points between semicolons, because one semicolon also joins two sentences. */
const FEWEST_POINTS_IN_A_LINE = 3;

const pointsIn = (text: string, maxMarks: number): string[] | null => {
  const lines = itemsOf(text);
  const points = lines.length > 1 ? lines : text.split(/;\s+/u).filter(hasWords);
  const fewest = lines.length > 1 ? 2 : FEWEST_POINTS_IN_A_LINE;
  return points.length > maxMarks && points.length >= fewest ? points : null;
};

const BULLET = /^\s*(?:[-–—•●○▪*·]+|\(?(?:\d{1,2}|[a-z])[.)](?!\d))\s*/iu;

/**
 * Lines without their bullets and without headings. A line that goes on with a small letter belongs to the line
 * before.
 */
const itemsOf = (text: string): string[] => {
  const items: string[] = [];
  for (const line of text.split('\n').filter(hasWords)) {
    const before = items.at(-1);
    const goesOn = before !== undefined && /^\s*\p{Ll}/u.test(line) && !/[.!?:;]\s*$/u.test(before);
    if (goesOn && !BULLET.test(line)) items[items.length - 1] = `${before} ${line.trim()}`;
    else items.push(line.replace(BULLET, '').trim());
  }
  return items.filter((item) => hasWords(item) && !item.endsWith(':'));
};

/** "Score 2: …", "3 points: …", "0: …". */
const SCORE_LINE = /^\W*(?:(score|level|band)\s*)?(\d{1,2})(?:\s*(points?|marks?|pts?)\b)?\s*[:=–—-]/iu;
const SCORING_HEADING =
  /^\W*(?:(?:scoring\s+)?rubric|scoring(?:\s+guide)?|mark(?:ing)?\s+scheme)\b[^:]{0,60}:?\s*$/iu;

/** Leaves out the lines of a scale: two or more different scores, from the max marks or down to 0. */
const withoutScoring = (text: string, maxMarks: number): string => {
  const lines = text.split('\n');
  const scores = lines.map((line) => SCORE_LINE.exec(line));
  const values = scores.flatMap((score) => (score === null ? [] : [Number(score[2])]));
  const named = scores.some((score) => score?.[1] !== undefined || score?.[3] !== undefined);
  const isScale =
    new Set(values).size === values.length &&
    values.length > 1 &&
    (values.includes(0) || (named && values.includes(maxMarks)));
  const kept = lines.filter((line, at) => !SCORING_HEADING.test(line) && !(isScale && scores[at] !== null));
  return kept.some(hasWords) ? kept.join('\n') : text;
};

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
