import { MOST_PAGES } from '../copies/copyFile.ts';
import type { PageLook, Turn } from '../paper/lookAt.ts';

/*
 * Where the copies of a stack begin, whose they are, and what a person must look at. Pure: the pages as they were
 * found, one rule for the whole stack, and the changes of the person, which win.
 */

export interface StackPage extends PageLook {
  key: string;
  /** The file that it is in, and its place there from 0. */
  file: { key: string; name: string; isPhoto: boolean };
  index: number;
}

export type Rule =
  | { kind: 'covers' }
  | { kind: 'count'; pages: number }
  | { kind: 'blank' }
  | { kind: 'hand' };

export interface PageChange {
  begins?: boolean;
  isLeftOut?: boolean;
  turn?: Turn;
}

export interface PlannedPage extends StackPage {
  isLeftOut: boolean;
}

type Doubt =
  /** No cover stands before these pages. */
  | 'no_cover'
  | 'other_exam'
  | 'unknown_candidate'
  /** Two copies have the same candidate. */
  | 'same_candidate'
  /** Most copies have another number of pages. */
  | 'unusual_length'
  /** The pages of the file are no multiple of the pages of a copy, so any copy of the file may be shifted. */
  | 'remainder'
  | 'two_files'
  | 'turned_cover'
  /** Some of the pages were handed over with another copy. */
  | 'handed_over'
  /** These two make a copy impossible. */
  | 'no_pages'
  | 'too_many_pages';

export interface PlannedCopy {
  /** Key of its first page. */
  key: string;
  pages: PlannedPage[];
  /** Id of the candidate that the cover names or that a person has chosen. */
  candidate: string | null;
  doubts: Doubt[];
}

interface PersonsChanges {
  pages: ReadonlyMap<string, PageChange>;
  /** By key of the copy; null for none. */
  candidates: ReadonlyMap<string, string | null>;
  /** Keys of pages that were handed over to be uploaded. */
  handedOver: ReadonlySet<string>;
}

export const isImpossible = ({ doubts }: PlannedCopy): boolean =>
  doubts.includes('no_pages') || doubts.includes('too_many_pages');
export const keptPages = ({ pages }: PlannedCopy): PlannedPage[] =>
  pages.filter(({ isLeftOut }) => !isLeftOut);

/** What a person sees of a copy. A look at its doubts counts as long as this does not change. */
export const shownOf = ({ key, candidate, doubts, pages }: PlannedCopy): string =>
  JSON.stringify([key, candidate, doubts, pages.map(({ key: page, isLeftOut }) => [page, isLeftOut])]);

export const planOf = (
  pages: readonly StackPage[],
  rule: Rule,
  { examId, candidates }: { examId: string; candidates: ReadonlySet<string> },
  changes: PersonsChanges,
): PlannedCopy[] => {
  const groups = groupsOf(pages, rule, changes.pages);
  const odd = filesWithRemainder(pages, rule);
  const copies = groups.map((group): PlannedCopy => {
    const [first] = group;
    const key = first?.key ?? '';
    const cover = group.find((page) => page.cover !== null)?.cover ?? null;
    const isOfExam = cover === null || cover.exam_id === examId;
    const named = isOfExam && cover?.candidate_id != null ? cover.candidate_id : null;
    const chosen = changes.candidates.get(key);
    const candidate =
      chosen === undefined ? (named !== null && candidates.has(named) ? named : null) : chosen;
    const kept = group.filter(({ isLeftOut }) => !isLeftOut);
    const doubts: Doubt[] = [];
    if (rule.kind === 'covers' && cover === null) doubts.push('no_cover');
    if (!isOfExam) doubts.push('other_exam');
    if (chosen === undefined && named !== null && !candidates.has(named)) doubts.push('unknown_candidate');
    if (new Set(group.filter((page) => !page.file.isPhoto).map(({ file }) => file.key)).size > 1)
      doubts.push('two_files');
    if (first !== undefined && odd.has(first.file.key)) doubts.push('remainder');
    if (group.some((page) => page.cover !== null && page.turn !== 0)) doubts.push('turned_cover');
    const handedOver = group.filter((page) => changes.handedOver.has(page.key)).length;
    if (handedOver > 0 && handedOver < group.length) doubts.push('handed_over');
    if (kept.length === 0) doubts.push('no_pages');
    if (kept.length > MOST_PAGES) doubts.push('too_many_pages');
    return { key, pages: group, candidate, doubts };
  });
  return withComparisons(copies, rule);
};

const groupsOf = (
  pages: readonly StackPage[],
  rule: Rule,
  changes: ReadonlyMap<string, PageChange>,
): PlannedPage[][] => {
  const groups: PlannedPage[][] = [];
  let open: PlannedPage[] | null = null;
  let before: StackPage | null = null;
  let count = 0;
  for (const page of pages) {
    const isNewFile =
      before !== null && before.file.key !== page.file.key && !(before.file.isPhoto && page.file.isPhoto);
    if (isNewFile) count = 0;
    const byRule =
      rule.kind === 'covers'
        ? page.cover !== null
        : rule.kind === 'count'
          ? count % rule.pages === 0
          : rule.kind === 'blank' && before?.isBlank === true && !page.isBlank;
    const { begins = byRule, isLeftOut = leftOutBy(page, rule), turn } = changes.get(page.key) ?? {};
    if (open === null || begins) {
      open = [];
      groups.push(open);
      count = 0;
    }
    open.push({ ...page, isLeftOut, turn: turn ?? (page.cover === null ? 0 : page.turn) });
    count += 1;
    before = page;
  }
  return groups;
};

/**
 * Covers are not graded, and blank pages that separate copies belong to none. A cover without a candidate stays: the
 * number in its boxes is read after the upload.
 */
const leftOutBy = (page: StackPage, rule: Rule): boolean =>
  (page.cover !== null && page.cover.candidate_id !== null) || (rule.kind === 'blank' && page.isBlank);

const filesWithRemainder = (pages: readonly StackPage[], rule: Rule): Set<string> => {
  if (rule.kind !== 'count') return new Set();
  const counts = new Map<string, number>();
  for (const { file } of pages) counts.set(file.key, (counts.get(file.key) ?? 0) + 1);
  const photos = pages.filter(({ file }) => file.isPhoto);
  for (const { file } of photos) counts.set(file.key, photos.length);
  return new Set([...counts].filter(([, count]) => count % rule.pages !== 0).map(([key]) => key));
};

/** Doubts that only the other copies show. */
const withComparisons = (copies: readonly PlannedCopy[], rule: Rule): PlannedCopy[] => {
  const lengths = new Map<number, number>();
  for (const copy of copies) {
    const { length } = keptPages(copy);
    if (length > 0) lengths.set(length, (lengths.get(length) ?? 0) + 1);
  }
  const shortest = Math.min(...lengths.keys());
  const [usual, times] = [...lengths].toSorted((one, other) => other[1] - one[1])[0] ?? [0, 0];
  const owners = new Map<string, number>();
  for (const { candidate } of copies)
    if (candidate !== null) owners.set(candidate, (owners.get(candidate) ?? 0) + 1);
  return copies.map((copy) => {
    const doubts = [...copy.doubts];
    const { length } = keptPages(copy);
    const hasUsual = times > 1 && times * 2 >= copies.length;
    // Without a usual number, two copies that run together are at least twice as long as the shortest.
    const isOdd = hasUsual ? length !== usual : length >= 2 * shortest && lengths.size > 1;
    if (rule.kind !== 'hand' && length > 0 && isOdd) doubts.push('unusual_length');
    if (copy.candidate !== null && (owners.get(copy.candidate) ?? 0) > 1) doubts.push('same_candidate');
    return { ...copy, doubts };
  });
};
