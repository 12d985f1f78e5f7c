import { FENCE_RULE, fenced, jsonLines } from '../fence.ts';
import type { AlignRequest } from '../grader.ts';
import type { PromptPart } from '../modelCall.ts';
import { plainText } from '../plainText.ts';

export const VERSION = 'align_answers/2';

export const system = `You find out which blocks of a transcribed examination copy answer which question. You do not mark anything.

You are given the questions and the blocks, one JSON object a line. For each question that was answered give all of its blocks.
- Candidates answer in any order, leave questions out, and come back to a question later ("Q3 contd."), on any page. Go by the written label first, then by what the text says. The same label is written in many ways ("3", "Q.No 3)", "Ans to 3rd", "III"); where it names no question of the paper, or plainly the wrong one, go by what the text says.
- A block that continues belongs to the answer before it, over page breaks too. Parts such as "2(a)" or "(ii)" belong to that part where the paper has it as a question of its own, else to the question they are a part of.
- Where a section says which questions its numbers mean ("Section B", then "1"), the number is that section's.
- An answer written twice, neither time crossed out, has all of its blocks.
- A number inside an answer may be a point of a list and no question label.
- A block is given to one question only, unless it truly holds the answers to several.
- Leave out blocks that answer no question (headings, rough work, remarks) and all that are crossed out. Leave out questions that were not answered; never give a block just to fill a gap.

${FENCE_RULE}`;

// Limits of the prompt, in characters: 200 questions and 80 full pages fit a model's context. Blocks that fit are shown
// whole, because an answer may begin inside a block if the reader missed a label. Otherwise the longest blocks are cut.
// A copy with very many blocks has short answers, for which a few words are enough.
const QUESTION_LENGTH = 400;
const BLOCKS_LENGTH = 400_000;
const SHORTEST_BLOCK = 40;

export const userParts = (request: AlignRequest, boundary: string): PromptPart[] => {
  const questions = request.questions.map((question) => ({
    number: question.number,
    label: question.label,
    section: question.section,
    type: question.type,
    text: plainText(question.text, QUESTION_LENGTH),
  }));
  const length = shownLength(request.pages.flatMap(({ blocks }) => blocks.map(({ text }) => text.length)));
  const blocks = request.pages.flatMap((page) =>
    page.blocks.map((block, index) => ({
      page: page.page,
      block: index,
      label: block.label,
      continues: block.continues,
      crossed_out: block.crossedOut,
      text: plainText(block.text, length),
    })),
  );
  return [
    { text: `Questions of the paper:\n${jsonLines(questions)}` },
    { text: `Blocks of the copy:\n${fenced(boundary, 'BLOCKS', jsonLines(blocks))}` },
  ];
};

/** Returns how many characters of each block are shown. Long blocks get the room that short ones leave. */
const shownLength = (lengths: readonly number[]): number => {
  let left = BLOCKS_LENGTH;
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return Math.max(share, SHORTEST_BLOCK);
    left -= length;
  }
  return BLOCKS_LENGTH;
};
