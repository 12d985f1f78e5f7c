import { parseDecimal } from '@evaluation/rules';
import type { ObjectiveKey } from '@evaluation/rules';
import type { JudgeRequest } from '../grader.ts';
import { matchOption } from '../judgeAnswer/objective.ts';
import type { ObjectiveReading } from '../judgeAnswer/objective.ts';
import { labelCore, readLabel } from './labels.ts';

/** Searched characters: twice the longest text of an option. Patterns may take quadratic time within this bound. */
const LONGEST = 5000;

/** Finds the option or value in the text of an objective answer on a copy. Does not look at the content of the key. */
export const readObjectiveText = (
  { question, answer }: JudgeRequest,
  key: ObjectiveKey,
): ObjectiveReading => {
  const text = answerPart(answer.text.slice(0, LONGEST), question.label);
  switch (key.type) {
    case 'mcq_single':
    case 'mcq_multi':
    case 'true_false': {
      const optionLabels = optionsIn(text, question.options);
      return { optionLabels, value: null, evidence: optionLabels.length > 0 ? text : null };
    }
    case 'numeric': {
      const value = numberIn(text);
      return { optionLabels: [], value, evidence: value };
    }
    case 'one_word': {
      const value = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
      return { optionLabels: [], value, evidence: value === '' ? null : value };
    }
  }
};

const answerPart = (text: string, label: string): string => {
  const found = readLabel(text);
  const own = found !== null && found.kind !== 'part' && labelCore(found.written) === labelCore(label);
  const rest = own && found.rest !== '' ? found.rest : text;
  return rest
    .replace(
      /^\s*(?:the\s+)?(?:correct\s+)?(?:answer|ans|option|opt|choice)\b\s*(?:is\b)?\s*[.:=\-–]*\s*/iu,
      '',
    )
    .trim();
};

/** Options named in a text: a list of labels, a label before an explanation, or the whole text of an option. */
export const optionsIn = (text: string, options: JudgeRequest['question']['options']): string[] => {
  const whole = matchOption(text, options);
  if (whole !== null) return [whole];
  const listed = text
    .split(/\s*(?:,|;|&|\/|\band\b|\n|\s)\s*/iu)
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
  const labels = listed.map((part) => matchOption(part, options));
  if (labels.length > 0 && labels.every((label) => label !== null)) return [...new Set(labels)];
  const written = labelsWithTexts(text, options);
  if (written !== null) return written;
  const same = options.filter((option) => level(option.text) !== '' && level(option.text) === level(text));
  if (same.length === 1) return same.map(({ label }) => label);
  const leading = /^\s*(?:\(\s*([^()\s]{1,16})\s*\)|([^\s()]{1,16}?)\s*[).:\-–])/u.exec(text);
  const label = matchOption(leading?.[1] ?? leading?.[2] ?? '', options);
  if (label !== null) return [label];
  const short = level(text);
  const initials = options.filter(({ text: full, label: name }) =>
    [level(full), level(name)].some((each) => short.length === 1 && each.startsWith(short)),
  );
  return initials.length === 1 ? initials.map(({ label: name }) => name) : [];
};

/** Labels that are each followed by the text of their option or its beginning: "A) Lemon juice and C) Vinegar". */
const labelsWithTexts = (text: string, options: JudgeRequest['question']['options']): string[] | null => {
  const parts = text.split(/(?<![\p{L}\p{N}])\(?([\p{L}\p{N}]{1,16})\s*[).:]\s*/u);
  if (parts.length < 3 || level(parts[0] ?? '') !== '') return null;
  const labels: string[] = [];
  for (let index = 1; index < parts.length; index += 2) {
    const option = options.find(({ label }) => label === matchOption(parts[index] ?? '', options));
    const optionText = level((parts[index + 1] ?? '').replace(/(?:,|;|&|\band\b|\s)+$/iu, ''));
    if (option === undefined || (optionText !== '' && !level(option.text).startsWith(optionText)))
      return null;
    labels.push(option.label);
  }
  return [...new Set(labels)];
};

/** The whole text if it is a number, else the part after the last "=", else the only number, else the text. */
export const numberIn = (text: string): string => {
  const afterEquals = text.slice(text.lastIndexOf('=') + 1).trim();
  for (const candidate of [text, afterEquals]) if (parseDecimal(candidate) !== null) return candidate.trim();
  const numbers = (part: string) =>
    part.match(
      /(?<![\p{L}\p{N}.,])[+\-\u2212]?(?:\p{Nd}+(?:\.\p{Nd}+)?|\.\p{Nd}+)(?:e[+-]?\p{Nd}+)?(?![\p{N}.,]\p{N})/giu,
    ) ?? [];
  for (const part of [afterEquals, text]) {
    const [only, ...more] = numbers(part);
    if (only !== undefined && more.length === 0) return only;
  }
  return text.trim();
};

const level = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
