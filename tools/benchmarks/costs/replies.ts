import { asObject, type Json, type PageTruth } from '@evaluation/test-services/model';
import type { Paper } from './papers.ts';

/** Reason and feedback in the length that large models write for these prompts: about 30 and 60 tokens. */
const REASON =
  'The answer names the point and supports it with one fact, but does not say why it mattered at that time, as the criterion asks.';
const FEEDBACK =
  'You name the main points and support them with facts. You leave out how the movement changed afterwards. Give one sentence on its effects, and finish with a judgement of your own that follows from what you wrote before.';

/** The server's usual reply, with as many words as a model writes. */
export const replyAsLongAsAModels = (answer: Json): Json => {
  const reply = asObject(answer);
  if (!('feedback' in reply)) return answer;
  return Object.fromEntries(
    Object.entries(reply).map(([key, value]) => {
      if (key === 'feedback') return [key, FEEDBACK];
      const award = asObject(value);
      return [key, 'reason' in award ? { ...award, reason: REASON } : value];
    }),
  );
};

/** Text of each page: the questions in order, each with its label, spread evenly over the pages. */
export const pageTruths = (paper: Paper, texts: readonly string[]): Record<number, PageTruth> => {
  const pages = paper.pages ?? 0;
  const truths: Record<number, PageTruth> = {};
  for (let page = 1; page <= pages; page += 1) truths[page] = { blocks: [] };
  for (const [index, text] of texts.entries()) {
    const first = Math.floor((index * pages) / texts.length);
    const parts = text.split('\n');
    for (const [part, words] of parts.entries()) {
      const label = paper.questions[index]?.label ?? '';
      truths[first + part + 1]?.blocks.push(
        part === 0 ? { label: `Q${label}`, text: words } : { text: words, continues: true },
      );
    }
  }
  return truths;
};
