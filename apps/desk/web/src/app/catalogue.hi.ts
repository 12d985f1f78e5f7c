import { hi as administrationHi } from '../administration/texts.hi.ts';
import { hi as examsHi } from '../exams/texts.hi.ts';
import { hi as decidingHi } from '../deciding/texts.hi.ts';
import { hi as markingHi } from '../marking/texts.hi.ts';
import { hi as peopleHi } from '../people/texts.hi.ts';
import { hi as appHi } from './texts.hi.ts';
import type { Texts } from './catalogue.en.ts';

export const hi: Texts = {
  ...appHi,
  ...administrationHi,
  ...examsHi,
  ...decidingHi,
  ...markingHi,
  ...peopleHi,
};
