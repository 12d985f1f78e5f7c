import { en as administrationEn } from '../administration/texts.en.ts';
import { en as examsEn } from '../exams/texts.en.ts';
import { en as decidingEn } from '../deciding/texts.en.ts';
import { en as markingEn } from '../marking/texts.en.ts';
import { en as peopleEn } from '../people/texts.en.ts';
import { en as appEn } from './texts.en.ts';

/** Each area has a catalogue for each language. The keys of an area begin with its name. */
export const en = {
  ...appEn,
  ...administrationEn,
  ...examsEn,
  ...decidingEn,
  ...markingEn,
  ...peopleEn,
};

export type Texts = Readonly<Record<keyof typeof en, string>>;

/** Keys without the suffix by which a plural is chosen: `exams.copies_one` and `exams.copies_other` are one key. */
export type TextKey =
  | Exclude<keyof typeof en, `${string}_${'one' | 'other'}`>
  | (keyof typeof en extends infer K ? (K extends `${infer Key}_${'one' | 'other'}` ? Key : never) : never);
