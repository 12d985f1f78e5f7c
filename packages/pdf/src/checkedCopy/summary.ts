import { cut } from '@evaluation/rules/marked-page';
import { PageSizes } from '#pdf-lib';
import type { PDFDocument } from '#pdf-lib';
import type { CheckedCopyPlan } from '../types.ts';
import { Canvas } from './canvas.ts';
import type { Colour } from './canvas.ts';
import { formatMarks } from './lettering.ts';
import type { Face, Lettering } from './lettering.ts';
import { RED } from './pageMarks.ts';

type Question = CheckedCopyPlan['questions'][number];

const INK: Colour = [0.13, 0.13, 0.16];
const FAINT: Colour = [0.42, 0.42, 0.46];
const RULE: Colour = [0.82, 0.82, 0.85];
const SHADE: Colour = [0.955, 0.955, 0.965];

const [PAGE_WIDTH, PAGE_HEIGHT] = PageSizes.A4;
const MARGIN = 46;
const BOTTOM = PAGE_HEIGHT - 54;
const COLUMNS = { question: MARGIN + 8, marks: MARGIN + 96, remarks: MARGIN + 170 };
const REMARKS_WIDTH = PAGE_WIDTH - MARGIN - 8 - COLUMNS.remarks;

const FEEDBACK_CHARACTERS = 1500;
const MOST_CRITERIA = 15;

export const appendSummary = (document: PDFDocument, plan: CheckedCopyPlan, letters: Lettering): void => {
  const sheet = new Sheet(document, letters);
  heading(sheet, plan);
  sheet.tableHead();
  let section: string | null = null;
  for (const question of plan.questions) {
    if (question.section !== null && question.section !== section) sectionRow(sheet, question.section);
    section = question.section;
    questionRow(sheet, question);
  }
  sheet.finish();
};

class Sheet {
  readonly letters: Lettering;
  readonly #document: PDFDocument;
  readonly #pages: Canvas[] = [];
  canvas: Canvas;
  y = 0;

  constructor(document: PDFDocument, letters: Lettering) {
    this.#document = document;
    this.letters = letters;
    this.canvas = this.#newPage();
  }

  /** Makes room for `height` points: on this page, or on a new page that repeats the table's head. */
  need(height: number): void {
    if (this.y + height <= BOTTOM) return;
    this.canvas = this.#newPage();
    this.tableHead();
  }

  write(text: string, x: number, size: number, face: Face, colour: Colour): void {
    this.canvas.text(text, [x, this.y + size], face, size, colour);
  }

  line(): void {
    this.canvas.rectangle({ x: MARGIN, y: this.y, width: PAGE_WIDTH - MARGIN * 2, height: 0.6 }, RULE);
  }

  tableHead(): void {
    const { bold } = this.letters;
    this.canvas.rectangle({ x: MARGIN, y: this.y, width: PAGE_WIDTH - MARGIN * 2, height: 20 }, SHADE);
    this.y += 5.5;
    this.write('Question', COLUMNS.question, 8.5, bold, FAINT);
    this.write('Marks', COLUMNS.marks, 8.5, bold, FAINT);
    this.write('Remarks', COLUMNS.remarks, 8.5, bold, FAINT);
    this.y += 14.5;
  }

  finish(): void {
    const { regular } = this.letters;
    for (const [index, canvas] of this.#pages.entries()) {
      const text = `Summary, page ${index + 1} of ${this.#pages.length}`;
      const x = PAGE_WIDTH - MARGIN - regular.width(text, 7.5);
      canvas.text(text, [x, PAGE_HEIGHT - 30], regular, 7.5, FAINT);
      canvas.finish();
    }
  }

  #newPage(): Canvas {
    const page = this.#document.addPage([PAGE_WIDTH, PAGE_HEIGHT]);
    const canvas = new Canvas(page);
    this.#pages.push(canvas);
    this.y = MARGIN;
    return canvas;
  }
}

const heading = (sheet: Sheet, plan: CheckedCopyPlan): void => {
  const { regular, bold } = sheet.letters;
  const top = sheet.y;
  const totalWidth = totalBox(sheet, plan, top);
  const width = PAGE_WIDTH - MARGIN * 2 - totalWidth - 20;

  sheet.write('CHECKED COPY', MARGIN, 8.5, bold, RED);
  sheet.y += 16;
  const title = bold.covers(plan.examTitle) ? cut(plan.examTitle, 300) : '';
  for (const line of bold.wrap(title, 16, width, 3)) {
    sheet.write(line, MARGIN, 16, bold, INK);
    sheet.y += 21;
  }
  sheet.y += 3;
  const { externalId, name, rollNumber } = plan.candidate;
  const who = [
    `Candidate ${externalId}`,
    ...(name === null || !regular.covers(name) ? [] : [name]),
    ...(rollNumber === null ? [] : [`Roll number ${rollNumber}`]),
  ].join('   ·   ');
  for (const line of regular.wrap(cut(who, 500), 9.5, width, 3)) {
    sheet.write(line, MARGIN, 9.5, regular, FAINT);
    sheet.y += 13.5;
  }
  sheet.y = Math.max(sheet.y, top + 74) + 10;
};

/** Returns the width of the box. */
const totalBox = (sheet: Sheet, { totals }: CheckedCopyPlan, top: number): number => {
  const { regular, bold } = sheet.letters;
  const marks = `${formatMarks(totals.awarded)} / ${formatMarks(totals.max)}`;
  const percentage = totals.percentage === null ? '' : `${formatMarks(totals.percentage)} %`;
  const width = Math.max(120, bold.width(marks, 22) + 32);
  const x = PAGE_WIDTH - MARGIN - width;
  const corners = [
    [x, top],
    [x + width, top],
    [x + width, top + 70],
    [x, top + 70],
    [x, top],
  ] as const;
  sheet.canvas.line(corners, 1.4, RED);
  const centred = (text: string, baseline: number, face: Face, size: number) =>
    sheet.canvas.text(text, [x + (width - face.width(text, size)) / 2, top + baseline], face, size, RED);
  centred('TOTAL', 16, bold, 8);
  centred(marks, 42, bold, 22);
  centred(percentage, 60, regular, 11);
  return width;
};

const sectionRow = (sheet: Sheet, section: string): void => {
  const { bold } = sheet.letters;
  sheet.need(60);
  sheet.y += 10;
  sheet.write(bold.shorten(section, 10, PAGE_WIDTH - MARGIN * 2 - 16), COLUMNS.question, 10, bold, INK);
  sheet.y += 17;
  sheet.line();
};

interface Line {
  text: string;
  size: number;
  face: Face;
  colour: Colour;
}

const questionRow = (sheet: Sheet, question: Question): void => {
  const { regular, bold } = sheet.letters;
  const labels = bold.wrap(cut(question.label, 60), 9.5, COLUMNS.marks - COLUMNS.question - 8, 3);
  const remarks = remarkLines(question, sheet.letters);
  sheet.need(Math.max(30, Math.min(3, Math.max(labels.length, remarks.length)) * 13 + 14));
  sheet.y += 7;
  const { canvas } = sheet;
  const rowTop = sheet.y;
  labels.forEach((label, index) => {
    canvas.text(label, [COLUMNS.question, rowTop + 9.5 + index * 12.5], bold, 9.5, INK);
  });
  const [marks, colour] = marksText(question);
  canvas.text(regular.shorten(marks, 9.5, 70), [COLUMNS.marks, rowTop + 9.5], bold, 9.5, colour);
  for (const { text, size, face, colour: ofText } of remarks) {
    sheet.need(size * 1.36);
    sheet.write(text, COLUMNS.remarks, size, face, ofText);
    sheet.y += size * 1.36;
  }
  // The label can be taller than the remarks. This matters only on the page where the row began.
  if (sheet.canvas === canvas) sheet.y = Math.max(sheet.y, rowTop + labels.length * 12.5);
  sheet.y += 7;
  sheet.line();
};

const marksText = ({ awarded, max, status }: Question): [string, Colour] => {
  if (awarded === null) return [`— / ${formatMarks(max)}`, FAINT];
  return [`${formatMarks(awarded)} / ${formatMarks(max)}`, status === 'graded' ? RED : FAINT];
};

const STATUS_TEXTS = {
  graded: null,
  failed: 'Could not be marked',
  pending: 'Not marked yet',
  cancelled: 'Marking was cancelled',
  not_answered: 'Not answered',
} as const;

/** Whether the feedback has the words of a reason already, or the reason has no words. */
const isSaid = (reason: string, feedback: string | null): boolean =>
  wordsOf(feedback ?? '').includes(wordsOf(reason));

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const remarkLines = (question: Question, { regular, bold }: Lettering): Line[] => {
  const lines: Line[] = [];
  const add = (text: string, size: number, face: Face, colour: Colour, mostLines = Infinity) => {
    for (const line of face.wrap(text, size, REMARKS_WIDTH, mostLines))
      lines.push({ text: line, size, face, colour });
  };
  const status = STATUS_TEXTS[question.status];
  if (status !== null) add(status, 9, bold, FAINT);
  if (question.comment !== null && question.comment.trim() !== '')
    add(`Teacher: ${cut(question.comment, FEEDBACK_CHARACTERS)}`, 9, bold, RED);
  if (question.feedback !== null) add(cut(question.feedback, FEEDBACK_CHARACTERS), 9, regular, INK);
  for (const { name, awarded, max, reason } of question.criteria.slice(0, MOST_CRITERIA)) {
    // A criterion whose marks do not count has null marks: only its name and reason are printed.
    const isMarked = awarded !== null || max !== null;
    const figures = [awarded, max].map((value) => (value === null ? '—' : formatMarks(value))).join(' / ');
    const marks = isMarked ? `  ${figures}` : '';
    const why = reason === null || isSaid(reason, question.feedback) ? '' : `: ${cut(reason, 300)}`;
    add(`•  ${cut(name, 120)}${marks}${why}`, 8, regular, FAINT);
  }
  const more = question.criteria.length - MOST_CRITERIA;
  if (more > 0) add(`•  and ${more} more criteria`, 8, regular, FAINT);
  return lines;
};
