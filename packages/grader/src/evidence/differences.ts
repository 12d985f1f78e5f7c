import { canonicalJson } from '@evaluation/rules';

/** Most characters of a value in a difference. */
const SHOWN = 80;
/** Most differences in the list. */
const MOST = 100;

/** Lists where two JSON values differ: `questions.3.awarded: recorded 2, replayed 2.5`. */
export const differences = (recorded: unknown, replayed: unknown): string[] => {
  const found: string[] = [];
  compare('', recorded, replayed, found);
  return found.length > MOST ? [...found.slice(0, MOST), `and ${found.length - MOST} more`] : found;
};

const compare = (path: string, recorded: unknown, replayed: unknown, found: string[]): void => {
  if (canonicalJson(recorded) === canonicalJson(replayed)) return;
  if (!isComposite(recorded) || !isComposite(replayed)) {
    found.push(`${path}: recorded ${shown(recorded)}, replayed ${shown(replayed)}`);
    return;
  }
  for (const name of new Set([...Object.keys(recorded), ...Object.keys(replayed)])) {
    const inner = path === '' ? name : `${path}.${name}`;
    compare(inner, Reflect.get(recorded, name), Reflect.get(replayed, name), found);
  }
};

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null;

const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : canonicalJson(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
};
