import { en as administrationEn } from '../administration/texts.en.ts';
import { hi as administrationHi } from '../administration/texts.hi.ts';
import { en as examsEn } from '../exams/texts.en.ts';
import { hi as examsHi } from '../exams/texts.hi.ts';
import { en as decidingEn } from '../deciding/texts.en.ts';
import { hi as decidingHi } from '../deciding/texts.hi.ts';
import { en as markingEn } from '../marking/texts.en.ts';
import { hi as markingHi } from '../marking/texts.hi.ts';
import { en as peopleEn } from '../people/texts.en.ts';
import { hi as peopleHi } from '../people/texts.hi.ts';
import { en as appEn } from './texts.en.ts';
import { hi as appHi } from './texts.hi.ts';

/** All texts of the page. Each area has a catalogue for each language, and its keys begin with the area's name. */
const en = {
  ...appEn,
  ...administrationEn,
  ...examsEn,
  ...decidingEn,
  ...markingEn,
  ...peopleEn,
};

type Texts = Readonly<Record<keyof typeof en, string>>;
const hi: Texts = {
  ...appHi,
  ...administrationHi,
  ...examsHi,
  ...decidingHi,
  ...markingHi,
  ...peopleHi,
};

export const LANGUAGES = ['en', 'hi'] as const;
export type Language = (typeof LANGUAGES)[number];
export const texts: Readonly<Record<Language, Texts>> = { en, hi };

/** Keys without the suffix by which a plural is chosen: `exams.copies_one` and `exams.copies_other` are one key. */
export type TextKey =
  | Exclude<keyof typeof en, `${string}_${'one' | 'other'}`>
  | (keyof typeof en extends infer K ? (K extends `${infer Key}_${'one' | 'other'}` ? Key : never) : never);
