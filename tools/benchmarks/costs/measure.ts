import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  alignRequest,
  answerTo,
  judgeRequest,
  makeRubricRequest,
  withoutJudging,
} from '@evaluation/grader/evidence';
import type { GivenAnswer } from '@evaluation/rules/grading-model';
import {
  createGrader,
  type CallEvidence,
  type Grader,
  type PageImage,
  type PageReading,
} from '@evaluation/grader';
import { PAGE_LONG_SIDE } from '@evaluation/pdf';
import { startModelServer, type ModelServer } from '@evaluation/test-services/model';
import { batchesOf } from '@evaluation/worker/batches';
import sharp from 'sharp';
import { EXAM, papers, questionWithoutRubric, type Paper } from './papers.ts';
import { pageTruths, replyAsLongAsAModels } from './replies.ts';
import { cachedOf, equalTokens, promptOf, tokensOfText, type PictureTokens, type Prompt } from './tokens.ts';

export const KINDS = ['read pages', 'align', 'judge', 'second look', 'read objective', 'rubric'] as const;
export type Kind = (typeof KINDS)[number];

export interface MeasuredCall {
  kind: Kind;
  textTokens: number;
  pictureTokens: number;
  /** Tokens of the common prefix with the same call for another candidate, and those that a cache returns. */
  equalTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

export interface MeasuredPaper {
  name: string;
  questions: number;
  calls: MeasuredCall[];
}

interface MeasureOptions {
  pictures: PictureTokens;
  detail: 'high' | 'low';
}

/** Deadline of a call. The model needs no network, so only a busy machine makes it slow. */
const SECONDS = 120;

/** Sends each paper of two candidates through the grader to the programmable server, and counts the requests. */
export const measure = async (
  options: MeasureOptions,
  isWanted: (paper: Paper) => boolean = () => true,
): Promise<MeasuredPaper[]> => {
  const server = await startModelServer();
  const grader = await createGrader({
    provider: 'openai',
    baseUrl: server.baseUrl,
    apiKey: 'none',
    model: 'm',
    maxConcurrentCalls: 4,
    callTimeoutSeconds: SECONDS,
    imageDetail: options.detail,
    // Every answer is judged twice here; docs/model-costs.md counts only a share of the second calls.
    secondLook: { when: 'always', maxCharacters: 1_000_000 },
  });
  const folder = await mkdtemp(join(tmpdir(), 'costs-'));
  try {
    const measured: MeasuredPaper[] = [];
    for (const paper of papers().filter(isWanted)) {
      const first = await counted(await ask(server, grader, paper, 0, folder), options.pictures);
      const second = await counted(await ask(server, grader, paper, 1, folder), options.pictures);
      measured.push({ name: paper.name, questions: paper.questions.length, calls: compared(first, second) });
    }
    server.behave([]);
    const from = server.calls.length;
    const { evidence } = await grader.makeRubric(makeRubricRequest(EXAM, questionWithoutRubric()), within());
    const rubric = await counted(
      recorded(server, from, evidence, () => 'rubric'),
      options.pictures,
    );
    measured.push({ name: 'a question without rubric, once', questions: 1, calls: compared(rubric, []) });
    return measured;
  } finally {
    await grader.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
};

interface Asked {
  kind: Kind;
  body: ModelServer['calls'][number]['body'];
  reply: string;
}

/** Grades one candidate's paper from pages to marks, in the order of the worker, one call after the other. */
const ask = async (
  server: ModelServer,
  grader: Grader,
  paper: Paper,
  candidate: 0 | 1,
  folder: string,
): Promise<Asked[]> => {
  const texts = paper.candidates[candidate];
  server.know({ pagesByNumber: pageTruths(paper, texts) });
  server.behave([{ behaviour: { kind: 'altered', alter: replyAsLongAsAModels } }]);
  const asked: Asked[] = [];
  const take = (from: number, evidence: CallEvidence[], kindOf: (index: number) => Kind): void => {
    asked.push(...recorded(server, from, evidence, kindOf));
  };
  let answers = texts.map((text): GivenAnswer => ({ text, legibility: null, blocks: [] }));
  if (paper.pages !== null) {
    const images = await pageImages(folder, paper.pages, candidate);
    const pages: PageReading[] = [];
    for (const batch of batchesOf(images, new Set(), grader.pagesPerRead)) {
      const from = server.calls.length;
      const { value, evidence } = await grader.readPages(batch, within());
      pages.push(...value);
      take(from, evidence, () => 'read pages');
    }
    const from = server.calls.length;
    const { value: alignment, evidence } = await grader.alignAnswers(
      alignRequest(paper.questions, pages),
      within(),
    );
    take(from, evidence, () => 'align');
    answers = paper.questions.map((question, index) => answerTo(index + 1, { pages, alignment }, question));
  }
  for (const [index, question] of paper.questions.entries()) {
    const isObjective = question.type !== 'long_answer';
    // Typed objective answers are marked by key and never reach a grader.
    if (paper.pages === null && isObjective) continue;
    const answer = answers[index];
    if (answer === undefined || withoutJudging(question, answer, []) !== null) {
      throw new Error(`${paper.name}: question ${question.label} has no answer`);
    }
    const from = server.calls.length;
    const { evidence } = await grader.judgeAnswer(judgeRequest(EXAM, question, answer), within());
    take(from, evidence, (look) => (isObjective ? 'read objective' : look === 0 ? 'judge' : 'second look'));
  }
  return asked;
};

const recorded = (
  server: ModelServer,
  from: number,
  evidence: readonly CallEvidence[],
  kindOf: (index: number) => Kind,
): Asked[] => {
  const calls = server.calls.slice(from);
  if (calls.length !== evidence.length) throw new Error('a reply of the model server could not be used');
  return calls.map(({ body }, index) => ({ kind: kindOf(index), body, reply: evidence[index]?.reply ?? '' }));
};

type Counted = Omit<MeasuredCall, 'equalTokens' | 'cachedTokens'> & { prompt: Prompt };

const counted = async (asked: readonly Asked[], pictures: PictureTokens): Promise<Counted[]> =>
  await Promise.all(
    asked.map(async ({ kind, body, reply }) => {
      const prompt = await promptOf(body, pictures);
      const { textTokens, pictureTokens } = prompt;
      return { kind, prompt, textTokens, pictureTokens, outputTokens: tokensOfText(reply) };
    }),
  );

const compared = (first: readonly Counted[], second: readonly Counted[]): MeasuredCall[] =>
  first.map(({ prompt, ...call }, index) => {
    const other = second[index]?.prompt;
    const equal = other === undefined ? 0 : equalTokens(prompt, other);
    return { ...call, equalTokens: equal, cachedTokens: cachedOf(equal) };
  });

/** Pages as drawn from an A4 scan. Tokens depend on the size of a page, not on its content. */
const pageImages = async (folder: string, count: number, candidate: number): Promise<PageImage[]> => {
  const height = PAGE_LONG_SIDE;
  const width = Math.round(height / Math.SQRT2);
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const file = join(folder, `${candidate}-${index + 1}.jpg`);
      const background = { r: 255, g: 255 - candidate, b: 255 - index };
      await sharp({ create: { width, height, channels: 3, background } })
        .jpeg()
        .toFile(file);
      return { page: index + 1, file, width, height, state: 'written' as const };
    }),
  );
};

const within = () => ({
  signal: new AbortController().signal,
  deadline: new Date(Date.now() + SECONDS * 1000),
});
