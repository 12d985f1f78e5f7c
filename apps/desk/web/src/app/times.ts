import { languageNow } from './language.ts';

/** A moment as people write it, in the language of the page and the time zone of the browser. */
export const showTime = (time: string): string =>
  new Intl.DateTimeFormat(languageNow(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));

export const showNumber = (value: number): string => new Intl.NumberFormat(languageNow()).format(value);
