import { FENCE_RULE, fenced, jsonLines } from '../fence.ts';
import type { JudgeRequest } from '../grader.ts';
import type { PromptPart } from '../modelCall.ts';
import type { Criterion } from './criteria.ts';

export const version = 'judge_answer/1';

export const criteriaSystem = `You are an experienced examiner who marks one answer of one candidate by the criteria given, fairly and exactly as they say.

- Award each criterion once, by its number, on the candidate's own words only. What is not written earns nothing; what is right in other words earns as much as the model answer's words. Keywords are hints, not a list to tick off.
- Marks go in steps of 0.5, from 0 to the criterion's marks. Do not add marks up.
- Copy the words each award rests on exactly from the answer as evidence; null when there are none.
- Do not penalise the same mistake twice, nor language and spelling unless a criterion asks for it.
- Say honestly how sure you are: "unsure" sends the answer to a teacher, which is right when the answer is ambiguous, partly illegible or outside what the criteria foresee.
- feedback: two to five sentences to the student, in English, plain text without markup: what was good, what was missing, how to improve. Do not state marks in it.

${FENCE_RULE}`;

export const readingSystem = `You read what a candidate answered to one objective question on a handwritten examination copy. You are not told the right answer and do not judge it: the answer is compared with the key afterwards.

- status: "answered" when one final answer is given; "no_answer" when none is; "unclear" when it cannot be told what was meant.
- option_labels: for a choice among options, the labels the candidate chose, copied exactly from the list of options; if the candidate wrote an option's text instead of its label, that option's label; if a label that is not in the list, that label as written. When one choice was struck out and replaced, only the replacement.
- value: for a number or a word, the final answer alone as written: no label, no working, no unit, no "=". Do not convert, round or correct it.
- evidence: the words you read it from, copied exactly.
- feedback_if_right, feedback_if_wrong: one or two sentences each to the student, in English, plain text without markup, on the matter of the question. Never name an option or a value as the right one.

${FENCE_RULE}`;

/** What both kinds of question share: the paper, the question, then the answer as the last and fenced part. */
export function userParts(request: JudgeRequest, marking: string[], boundary: string): PromptPart[] {
  const { exam, question, answer } = request;
  const paper = [
    ['Subject', exam.subject],
    ['Level', exam.level],
    ['Board', exam.board],
    ['Class', exam.class],
    ['Instructions of the examiner for the whole paper', exam.instructions],
  ] as const;
  const context = paper.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const source =
    answer.legibility === null
      ? 'The answer was typed.'
      : `The answer was transcribed from handwriting (legibility ${answer.legibility.toFixed(2)} of 1): a wrong letter may be a reading mistake.`;
  const options = question.options.map(({ label, text }) => ({ option: label, text }));
  return [
    { text: context.join('\n') },
    {
      text: [
        `Question ${JSON.stringify({ question: question.label, type: question.type, max_marks: question.maxMarks })}:`,
        question.text,
        ...(options.length === 0 ? [] : ['Options:', jsonLines(options)]),
        ...marking,
      ].join('\n'),
    },
    { text: `${source}\n${fenced(boundary, 'ANSWER', answer.text)}` },
  ];
}

/** How a long answer is to be marked, criteria numbered from 1. */
export function markingLines(question: JudgeRequest['question'], criteria: readonly Criterion[]): string[] {
  const lines = ['Criteria:'];
  lines.push(
    jsonLines(
      criteria.map(({ name, marks, keywords, guidance }, index) => ({
        criterion: index + 1,
        marks,
        name,
        ...(keywords.length === 0 ? {} : { keywords }),
        ...(guidance === null ? {} : { guidance }),
      })),
    ),
  );
  if (question.partialMarking === false) {
    lines.push('Partial marking is off: award each criterion its full marks or 0.');
  } else if (question.partialMarking === true) {
    lines.push('Partial marking is on: a criterion met in part earns part of its marks.');
  }
  if (question.modelAnswer !== null) {
    lines.push('Model answer, one of the ways to earn full marks:', question.modelAnswer);
  }
  return lines;
}
