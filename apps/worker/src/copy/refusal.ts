import type { PageReading } from '@evaluation/rules/grading-model';
import { isBlankText, isMostlyDevanagari } from '@evaluation/rules';
import { NotGradable } from '../run/tools.ts';

/** Marker that the reader writes in place of writing that it cannot read. */
const UNREAD = /\[\s{0,20}(?:illegible|unreadable)[^[\]]{0,300}\]/giu;
/** Remark of the reader about the page, as opposed to the candidate's writing. */
const REMARK = /\[[^[\]]{0,300}\]/gu;

/**
 * Returns why a copy cannot be graded at all (docs/api/lifecycle.md#submissions); null if it can. The language that the
 * model reports is weighted by the number of letters on each page, so headings have little weight. Independent of the
 * model, a copy is refused for more than 20% Devanagari letters, as for typed answers
 * (docs/api/submissions.md#typed-answers), or for a majority of letters of scripts other than Latin. Greek letters are
 * not counted, because formulas use them.
 */
export const refusalOf = (pages: readonly PageReading[]): NotGradable | null => {
  if (!pages.some(isReadable)) {
    return new NotGradable('nothing_readable');
  }
  const written = pages.flatMap(({ language, blocks }) => {
    const texts = blocks.flatMap(({ crossedOut, text }) => (crossedOut || isBlankText(text) ? [] : [text]));
    const text = texts.join('\n').replace(REMARK, ' ');
    return texts.length === 0 ? [] : [{ language, text, letters: lettersIn(text) }];
  });
  const whole = written.map(({ text }) => text).join('\n');
  const isForeign =
    isMostlyDevanagari(whole) ||
    isMost(weightOf(written, true), weightOf(written, false)) ||
    isMost(otherLetters(whole), lettersIn(whole));
  return isForeign ? new NotGradable('other_language') : null;
};

/** False if the reader reports a legibility of 0, even when it transcribed text. */
const isReadable = ({ legibility, blocks }: PageReading): boolean =>
  legibility > 0 && blocks.some(({ text }) => /[\p{L}\p{N}\p{S}]/u.test(text.replace(UNREAD, '')));

/**
 * Number of letters on the pages, or only on those in another language. A page with only a remark ("[text in Tamil]")
 * counts with the average of the others.
 */
const weightOf = (
  written: readonly { language: PageReading['language']; letters: number }[],
  foreignOnly: boolean,
): number => {
  const transcribed = written.filter(({ letters }) => letters > 0);
  const all = transcribed.reduce((sum, { letters }) => sum + letters, 0);
  const average = transcribed.length === 0 ? 1 : all / transcribed.length;
  return written
    .filter(({ language }) => !foreignOnly || language === 'other')
    .reduce((sum, { letters }) => sum + (letters === 0 ? average : letters), 0);
};

const isMost = (part: number, whole: number): boolean => part * 2 > whole;
const lettersIn = (text: string): number => text.match(/\p{L}/gu)?.length ?? 0;
const otherLetters = (text: string): number =>
  text.match(/(?!\p{Script=Latin}|\p{Script=Greek})\p{L}/gu)?.length ?? 0;
