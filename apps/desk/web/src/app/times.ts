import { localeNow } from './language.ts';

/* How the desk writes dates and numbers: as the browser's locale does, if it is of the language of the page. */

/** A moment, in the time zone of the browser. */
export const showTime = (time: string): string =>
  new Intl.DateTimeFormat(localeNow(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));

/** A day without a time, such as `2026-11-25`. */
export const showDay = (day: string): string =>
  new Intl.DateTimeFormat(localeNow(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));

export const showNumber = (value: number): string => new Intl.NumberFormat(localeNow()).format(value);
