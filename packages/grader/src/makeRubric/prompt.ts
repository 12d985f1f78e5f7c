import { MARK_STEP } from '@evaluation/rules';
import type { MakeRubricRequest } from '../grader.ts';
import type { PromptPart } from '../modelCall.ts';
import { contextLines } from '../judgeAnswer/prompt.ts';

export const VERSION = 'make_rubric/1';

export const system = `You write the marking rubric of one examination question to which the teacher gave neither a rubric nor a model answer. Every candidate's answer to it will be marked by your rubric.

- Give two to six criteria, fewer for few marks: what a full answer must hold, each criterion one thing that can be found in an answer or not. No criterion for style, length, language or neatness unless the question asks for it.
- Marks go in steps of ${MARK_STEP} and add up to the marks of the question.
- Judge by the level of the examination. Where several contents are right answers, say so in the guidance and do not ask for one of them.
- guidance: what earns the criterion, in one to three sentences, without any figure of marks.
- keywords: words that a right answer may hold; [] where wording is free.`;

export const userParts = ({ exam, question }: MakeRubricRequest): PromptPart[] => [
  { text: contextLines(exam).join('\n') },
  {
    text: `Question ${JSON.stringify({ question: question.label, max_marks: question.maxMarks })}:\n${question.text}`,
  },
];
