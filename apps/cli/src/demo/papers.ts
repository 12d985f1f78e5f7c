import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { ExamCreate, type AnswerInput, type CandidateInput } from '@evaluation/rest-contract';
import { DemoFailure } from './failure.ts';
import type { DemoOptions } from './options.ts';

export interface Paper {
  name: string;
  /** As in the file, not validated: the API reports errors in it. */
  exam: ExamCreate;
  candidate: CandidateInput;
  work: Work;
  note?: string;
}

export type Work =
  | { kind: 'copy'; fileName: string; pdf: Uint8Array<ArrayBuffer> }
  /** Called after the API has accepted the exam. */
  | { kind: 'typed'; answers: () => AnswerInput[] };

const require = createRequire(import.meta.url);
const sample = (path: string): string => require.resolve(`@evaluation/samples/${path}`);
const SAMPLE_COPY = sample('copies/strong.pdf');

/** Registered if the exam has no candidates of its own. */
const CANDIDATES: [CandidateInput, CandidateInput] = [
  { external_id: 'DEMO-1', name: 'Asha Rao', roll_number: '1', section_or_class: '10-A' },
  { external_id: 'DEMO-2', name: 'Ravi Iyer', roll_number: '2', section_or_class: '10-A' },
];

/** Returns the samples or the user's own paper. All files are read before any call to the API. @throws DemoFailure */
export const readPapers = async (options: DemoOptions): Promise<Paper[]> => {
  if (options.exam !== undefined) return [await ownPaper(options.exam, options)];
  const copy = await samplePaper(options.copy ?? SAMPLE_COPY);
  return options.copy === undefined ? [copy, await sampleTypedPaper()] : [copy];
};

const samplePaper = async (copyFile: string): Promise<Paper> => ({
  name: basename(copyFile),
  ...opened(await readJson(sample('exams/science.json'))),
  work: await copyWork(copyFile),
  ...(copyFile === SAMPLE_COPY
    ? {}
    : { note: 'Your copy is marked against the sample science exam; --exam takes your own.' }),
});

const sampleTypedPaper = async (): Promise<Paper> => {
  const answers: { candidates: { answers: AnswerInput[] }[] } = JSON.parse(
    await readText(sample('typed-answers.json')),
  );
  return {
    name: 'typed answers',
    ...opened(await readJson(sample('exams/history-typed.json'))),
    work: { kind: 'typed', answers: () => answers.candidates[0]?.answers ?? [] },
  };
};

const ownPaper = async (examFile: string, options: DemoOptions): Promise<Paper> => {
  const { exam, candidate } = opened(await readJson(examFile));
  if (exam.mode === 'typed') {
    if (options.copy !== undefined) {
      throw new DemoFailure(`${examFile} is a typed exam, and --copy belongs to a handwritten one.`, 2);
    }
    const own = options.answers === undefined ? undefined : await readAnswers(options.answers);
    return {
      name: own === undefined ? 'model answers' : basename(options.answers ?? ''),
      exam,
      candidate,
      work: { kind: 'typed', answers: () => own ?? keyAndModelAnswers(exam) },
      ...(own === undefined
        ? { note: "No --answers given: the exam's own answer key and model answers are submitted." }
        : {}),
    };
  }
  // Also reached for an exam with an invalid mode, which the API reports.
  if (options.answers !== undefined) {
    throw new DemoFailure(`${examFile} is not a typed exam, and --answers belongs to one.`, 2);
  }
  const copyFile = options.copy ?? SAMPLE_COPY;
  return {
    name: basename(copyFile),
    exam,
    candidate,
    work: await copyWork(copyFile),
    ...(options.copy === undefined
      ? { note: 'No --copy given: a sample copy, written for another exam, is submitted. Expect few marks.' }
      : {}),
  };
};

/** Adds what the demo needs to submit at once: an open exam and a candidate. */
const opened = (exam: ExamCreate): { exam: ExamCreate; candidate: CandidateInput } => {
  const own = Array.isArray(exam.candidates) ? exam.candidates : [];
  const candidates = own.length === 0 ? CANDIDATES : own;
  return { exam: { ...exam, open: true, candidates }, candidate: candidates[0] ?? CANDIDATES[0] };
};

const keyAndModelAnswers = (exam: ExamCreate): AnswerInput[] =>
  (ExamCreate.parse(exam).questions ?? []).flatMap((question): AnswerInput[] => {
    const question_label = question.label;
    if (question.correct_options != null)
      return [{ question_label, option_labels: question.correct_options }];
    const key = Array.isArray(question.answer) ? question.answer[0] : question.answer;
    const text = question.type === 'long_answer' ? question.model_answer : key;
    return text == null ? [] : [{ question_label, text: String(text) }];
  });

const copyWork = async (file: string): Promise<Work> => {
  const pdf = await readFile(file).catch(cannotRead(file));
  return { kind: 'copy', fileName: basename(file), pdf: Uint8Array.from(pdf) };
};

const readAnswers = async (file: string): Promise<AnswerInput[]> => {
  const answers: unknown = parseJson(file, await readText(file));
  if (!Array.isArray(answers)) throw new DemoFailure(`${file} is not a JSON list of answers.`);
  return answers;
};

const readJson = async (file: string): Promise<ExamCreate> => {
  const exam = parseJson(file, await readText(file));
  if (typeof exam !== 'object' || exam === null || Array.isArray(exam)) {
    throw new DemoFailure(`${file} is not a JSON object.`);
  }
  return exam as ExamCreate;
};

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(cannotRead(file));

const parseJson = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DemoFailure(
      `${file} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
};

const cannotRead =
  (file: string) =>
  (error: unknown): never => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new DemoFailure(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${code}.`,
    );
  };
