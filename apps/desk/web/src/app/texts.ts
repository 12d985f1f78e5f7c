import en from './texts.en.json' with { type: 'json' };

type Texts = Readonly<Record<keyof typeof en, string>>;

/** Keys without the suffix by which a plural is chosen: `exams.copies_one` and `exams.copies_other` are one key. */
export type TextKey =
  | Exclude<keyof Texts, `${string}_${'one' | 'other'}`>
  | (keyof Texts extends infer K ? (K extends `${infer Key}_${'one' | 'other'}` ? Key : never) : never);

export const LANGUAGES = ['en', 'hi'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Does not compile for texts that lack a key of the English ones or have another key. */
const sameKeys = <T extends Texts>(texts: T & Record<Exclude<keyof T, keyof Texts>, never>): Texts => texts;

/**
 * English is loaded with the page, because it replaces missing texts. Other languages are loaded when they are chosen.
 */
export const loadTexts: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: () => Promise.resolve(en),
  hi: async () => sameKeys((await import('./texts.hi.json', { with: { type: 'json' } })).default),
};
