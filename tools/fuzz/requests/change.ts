import type { Change } from './intents.ts';

/** Applies a change at the `place`-th place of a JSON value, counted over all of its parts. @returns JSON text */
export const changed = (value: unknown, place: number, how: Change): string => {
  const copy: unknown = structuredClone(value);
  const places = placesIn(copy);
  const at = places[place % Math.max(places.length, 1)];
  if (at === undefined) return textOf(how.do === 'replace' ? how.by : copy);
  const { holder, name } = at;
  switch (how.do) {
    case 'remove':
      if (Array.isArray(holder)) holder.splice(Number(name), 1);
      else delete holder[name];
      break;
    case 'double':
      if (Array.isArray(holder)) holder.push(holder[Number(name)]);
      // JSON allows a name twice; an object in memory does not.
      else
        return textOf(copy).replace(
          `${JSON.stringify(name)}:`,
          `${JSON.stringify(name)}:null,${JSON.stringify(name)}:`,
        );
      break;
    case 'replace':
      put(holder, name, how.by);
      break;
    case 'add':
      if (Array.isArray(holder)) holder.push(how.by);
      else put(holder, how.name, how.by);
  }
  return textOf(copy);
};

type Holder = Record<string, unknown> | unknown[];

const put = (holder: Holder, name: string, value: unknown): void => {
  Object.defineProperty(holder, name, { value, enumerable: true, writable: true, configurable: true });
};

/** @returns 'null' for what JSON cannot express */
const textOf = (value: unknown): string => JSON.stringify(value) ?? 'null';

const placesIn = (value: unknown): { holder: Holder; name: string }[] => {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Holder;
  return Object.entries(holder).flatMap(([name, inner]) => [{ holder, name }, ...placesIn(inner)]);
};
