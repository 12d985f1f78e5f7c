import { en, type Texts } from './catalogue.en.ts';

export const LANGUAGES = ['en', 'hi'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * English is loaded with the page, because it replaces missing texts. Other languages are loaded when they are chosen.
 */
export const loadTexts: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: () => Promise.resolve(en),
  hi: async () => (await import('./catalogue.hi.ts')).hi,
};
