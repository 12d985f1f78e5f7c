import type { PageReading } from '@evaluation/grading-model';
import { isBlankText, isMostlyDevanagari } from '@evaluation/rules';
import { NotGradable } from '../run/tools.ts';

/** What a reader sets in place of writing that it could not read. */
const UNREAD = /\[\s{0,20}(?:illegible|unreadable)[^[\]]{0,300}\]/giu;
/** What a reader says of the page itself, in its own words and not the candidate's. */
const REMARK = /\[[^[\]]{0,300}\]/gu;

/**
 * Why a copy cannot be graded at all (docs/api/lifecycle.md#submissions); null when it can. A model's word on the language is weighed by how much
 * is written on each page, so headings decide nothing, and it does not stand against the letters themselves: the 20% of
 * Devanagari that no typed answer may have (docs/api/submissions.md#typed-answers), or most letters of any script but Latin. Greek is left out of
 * that count, since formulas are full of it.
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

/** A reader that says itself that it could read nothing is believed, whatever it wrote. */
const isReadable = ({ legibility, blocks }: PageReading): boolean =>
  legibility > 0 && blocks.some(({ text }) => /[\p{L}\p{N}\p{S}]/u.test(text.replace(UNREAD, '')));

/**
 * How much is written on the pages, or on those of another language. A page of which a reader only remarked that something
 * stands there ("[text in Tamil]") weighs as much as an average one.
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
