import Table from 'cli-table3';
import type { Exam, QuestionResult, Result } from '@evaluation/rest-contract';
import { plain, wrapped } from './text.ts';

const HEAD = ['label', 'marks', 'source', 'confidence', 'needs review', 'feedback'];
/** Minimum width of the feedback column; on a narrower terminal the lines wrap. */
const NARROWEST_FEEDBACK = 20;

export const reportOn = (exam: Exam, result: Result, columns: number): string =>
  [
    '',
    `${plain(exam.title)} — ${plain(result.candidate.name ?? result.candidate.external_id)}`,
    marksTable(result.questions, columns),
    totalsLine(result),
    `Credits charged: ${result.credits_charged ?? 'none'}`,
    ...reviewLines(result, columns),
  ].join('\n');

const marksTable = (questions: readonly QuestionResult[], columns: number): string => {
  const rows = questions.map((question) => [
    plain(question.label),
    `${question.awarded ?? '–'} / ${question.max}`,
    question.source ?? '–',
    question.confidence === null ? '–' : question.confidence.toFixed(2),
    question.needs_review ? 'yes' : 'no',
  ]);
  // Per column two spaces of padding and one border, plus the border at the end.
  const widths = rows
    .concat([HEAD.slice(0, -1)])
    .reduce(
      (widest, row) => row.map((cell, column) => Math.max(cell.length + 2, widest[column] ?? 0)),
      [] as number[],
    );
  const taken = widths.reduce((sum, width) => sum + width + 1, 2);
  const feedbackWidth = Math.max(NARROWEST_FEEDBACK, columns - taken);
  const table = new Table({
    head: HEAD,
    colWidths: [...widths, feedbackWidth],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  rows.forEach((row, index) => table.push([...row, feedbackOn(questions[index])]));
  return table.toString();
};

const feedbackOn = (question: QuestionResult | undefined): string => {
  if (question?.error != null) return plain(`${question.error.code}: ${question.error.message}`);
  const said = plain(question?.feedback ?? '');
  return question?.status === 'not_answered' && said === '' ? 'not answered' : said;
};

const totalsLine = ({ totals }: Result): string => {
  const percentage = totals.percentage === null ? '' : ` (${totals.percentage} %)`;
  const failed = totals.questions_failed === 0 ? '' : `, failed: ${totals.questions_failed}`;
  return `Total: ${totals.awarded} / ${totals.max}${percentage}, questions graded: ${totals.questions_graded}${failed}`;
};

const reviewLines = (result: Result, columns: number): string[] => {
  const counts = new Map<string, number>();
  for (const reason of result.questions.flatMap((question) => question.review_reasons)) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const reasons = [
    ...result.review_reasons.map((reason) => `${reason} (the whole submission)`),
    ...[...counts].map(([reason, count]) => `${reason} (questions: ${count})`),
  ];
  if (!result.needs_review || reasons.length === 0) return [];
  return [wrapped(plain(`A teacher should review, because of: ${reasons.join(', ')}`), columns)];
};

export const baselineMarked = (result: Result): boolean =>
  result.review_reasons.includes('baseline_grader') ||
  result.questions.some((question) => question.review_reasons.includes('baseline_grader'));

export const baselineNote = (columns: number): string =>
  [
    '',
    wrapped(
      'These marks come from the baseline grader: no AI model was asked. It reads printed text or runs OCR, and ' +
        'compares words with the keywords and model answers of the paper. That shows how the service works and is ' +
        'no judgement of the answers: every such mark has a low confidence and waits for a teacher.',
      columns,
    ),
    'To have a model mark, start the service with one (OpenAI, vLLM, Ollama or a gateway), then run the demo again:',
    '  GRADER=openai OPENAI_BASE_URL=https://api.openai.com/v1 OPENAI_API_KEY=<key> GRADER_MODEL=<model> npm start',
  ].join('\n');
