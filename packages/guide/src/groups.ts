import { contentStems, wordsOf } from './words.ts';

/** `text`: equal but for case, punctuation and spaces. `content`: the same set of content word stems. */
export type Sameness = 'text' | 'content';

/**
 * Groups of two or more equal answers, the largest first. Two answers without any word or number form no group, because
 * a drawing or a formula in signs may differ.
 */
export const identicalGroups = (
  answers: readonly { id: string; text: string }[],
  sameness: Sameness = 'text',
): string[][] => {
  const groups = new Map<string, string[]>();
  for (const { id, text } of answers) {
    const words = sameness === 'text' ? wordsOf(text) : contentStems(text);
    if (words.length === 0) continue;
    const key = words.join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [id]);
    else group.push(id);
  }
  return [...groups.values()].filter(({ length }) => length > 1).toSorted((a, b) => b.length - a.length);
};
