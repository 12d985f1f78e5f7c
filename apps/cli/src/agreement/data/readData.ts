/**
 * Reads a data set twice: first to validate every line and to keep the numbers, then line by line while grading. The
 * texts of a large set are therefore never all in memory. A file that changed in between is an error.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isBlankText } from '@evaluation/rules';
import { AgreementFailure } from '../failure.ts';
import { Line } from './line.ts';
import { Questions, type Problem } from './questions.ts';

export interface AnswerFacts {
  line: number;
  id: string | null;
  questionId: string;
  maxMarks: number;
  human: number;
  second: number | null;
  group: string | null;
  blank: boolean;
  /** SHA-256 of the line, hex. */
  sha256: string;
}

export interface DataSet {
  file: string;
  sha256: string;
  questions: Questions;
  answers: AnswerFacts[];
  /** Yields the answers' texts in order. @throws AgreementFailure if the file changed since it was validated */
  texts(): AsyncGenerator<{ facts: AnswerFacts; text: string }>;
}

/** Maximum number of errors that are printed. */
const MAX_PROBLEMS = 20;

/** @throws AgreementFailure naming each wrong line and field */
export const readData = async (file: string): Promise<DataSet> => {
  const questions = new Questions();
  const answers: AnswerFacts[] = [];
  const problems: string[] = [];
  const whole = createHash('sha256');
  for await (const { number, text } of linesOf(file)) {
    const checked = checkLine(text, number, questions);
    whole.update(text).update('\n');
    if ('problems' in checked) {
      problems.push(...checked.problems.map(({ field, message }) => `line ${number}: ${field} ${message}`));
      if (problems.length > MAX_PROBLEMS) break;
      continue;
    }
    const { line } = checked;
    answers.push({
      line: number,
      id: line.id ?? null,
      questionId: line.question_id,
      maxMarks: questions.get(line.question_id)?.maxMarks ?? 0,
      human: line.human_marks,
      second: line.human_marks_2 ?? null,
      group: line.group ?? null,
      blank: isBlankText(line.answer),
      sha256: sha256(text),
    });
  }
  if (problems.length > 0) {
    const shown = problems.slice(0, MAX_PROBLEMS);
    const rest = problems.length > shown.length ? '\n  and more' : '';
    throw new AgreementFailure(
      `${file} cannot be used:\n${shown.map((each) => `  ${each}`).join('\n')}${rest}`,
    );
  }
  if (answers.length === 0) throw new AgreementFailure(`${file} has no lines.`);
  return { file, sha256: whole.digest('hex'), questions, answers, texts: () => textsOf(file, answers) };
};

const checkLine = (
  text: string,
  number: number,
  questions: Questions,
): { line: Line } | { problems: Problem[] } => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problems: [{ field: '', message: 'is not JSON' }].map(named) };
  }
  const parsed = Line.safeParse(value);
  if (!parsed.success) {
    return {
      problems: parsed.error.issues.map((issue) => {
        const path = issue.path.map(String).join('.');
        return issue.code === 'unrecognized_keys'
          ? { field: [path, ...issue.keys].filter(Boolean).join('.'), message: 'is not a known field' }
          : named({ field: path, message: `is wrong: ${issue.message}` });
      }),
    };
  }
  const line = parsed.data;
  const problems = questions.meet(line, number);
  const maxMarks = questions.get(line.question_id)?.maxMarks ?? line.max_marks ?? Number.POSITIVE_INFINITY;
  for (const field of ['human_marks', 'human_marks_2'] as const) {
    const given = line[field];
    if (given != null && given > maxMarks) {
      problems.push({ field, message: `is ${given}, above max_marks ${maxMarks}` });
    }
  }
  return problems.length > 0 ? { problems } : { line };
};

const named = ({ field, message }: Problem): Problem => ({
  field: field === '' ? 'the line' : field,
  message,
});

async function* textsOf(file: string, answers: readonly AnswerFacts[]): ReturnType<DataSet['texts']> {
  let index = 0;
  for await (const { number, text } of linesOf(file)) {
    const facts = answers[index];
    if (facts?.line !== number || facts.sha256 !== sha256(text)) throw changed(file);
    yield { facts, text: Line.parse(JSON.parse(text)).answer };
    index += 1;
  }
  if (index !== answers.length) throw changed(file);
}

const changed = (file: string) => new AgreementFailure(`${file} changed while it was being read.`);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Yields non-empty lines. @throws AgreementFailure if the file cannot be read */
async function* linesOf(file: string): AsyncGenerator<{ number: number; text: string }> {
  const stream = createReadStream(file, 'utf8');
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  let number = 0;
  try {
    for await (const raw of lines) {
      number += 1;
      const text = number === 1 ? raw.replace(/^\uFEFF/, '') : raw;
      if (text.trim() !== '') yield { number, text };
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new AgreementFailure(
      error.code === 'ENOENT'
        ? `There is no file ${file}.`
        : `${file} cannot be read: ${String(error.code)}.`,
    );
  } finally {
    lines.close();
    stream.destroy();
  }
}
