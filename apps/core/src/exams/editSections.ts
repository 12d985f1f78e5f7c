import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import { inOrder, labelKey } from '@evaluation/rules';
import { newId } from '../command/newId.ts';

/** A section of an exam. `question` is the label of the first question in it. */
export interface StoredSection {
  id: string;
  name: string;
  order: number;
  isDeclared: boolean;
  question: string | null;
}

interface SentSection {
  name: string;
  order: number;
}

export const readSections = async (tx: Tx, instituteId: string, examId: string): Promise<StoredSection[]> => {
  const { rows } = await sql<{
    id: string;
    name: string;
    order: string;
    is_declared: boolean;
    question: string | null;
  }>`
    select s.id, s.name, coalesce(s.sent_order, s.position) as order, s.sent_order is not null as is_declared,
      (select q.label from questions q where q.exam_id = s.exam_id and q.section_id = s.id
        order by q.position limit 1) as question
    from sections s
    where s.institute_id = ${instituteId} and s.exam_id = ${examId}
    order by s.position`.execute(tx);
  return rows.map(({ is_declared, order, ...section }) => ({
    ...section,
    order: Number(order),
    isDeclared: is_declared,
  }));
};

/** Reports sections that still have questions but are missing in the request; names are compared ignoring case. */
export const withoutSection = (stored: readonly StoredSection[], sent: readonly SentSection[]): Problem[] => {
  const names = new Set(sent.map(({ name }) => labelKey(name)));
  return stored.flatMap(({ name, question }) =>
    question === null || names.has(labelKey(name))
      ? []
      : [
          {
            field: 'sections',
            code: 'unknown_section',
            message: `Question ${question} names section ${name}, which is not among them.`,
          },
        ],
  );
};

/**
 * Replaces the sections of an exam. A section that keeps its name, ignoring case, keeps its questions; other sections
 * are deleted. The caller holds the exam's lock and has refused the problems of `withoutSection`.
 * @returns whether the sections of the exam as the API shows them have changed
 */
export const editSections = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  stored: readonly StoredSection[],
  sent: readonly SentSection[],
): Promise<boolean> => {
  const wanted = inOrder(sent).map(({ name, order }) => ({ name, order }));
  const current = stored.map(({ name, order }) => ({ name, order }));
  const isShown = !isDeepStrictEqual(wanted, current);
  // Declaring sections that were derived from questions changes no visible field, but later questions cannot add
  // sections.
  if (!isShown && stored.every(({ isDeclared }) => isDeclared)) return false;

  await dropOtherSections(tx, exam, await writeSections(tx, exam, stored, wanted));
  return isShown;
};

/**
 * Writes the sections of an exam in their order. A section that keeps its name, ignoring case, keeps its row. Other
 * stored sections stay behind the written ones until `dropOtherSections`, because questions may still be in them.
 * @param wanted `order` as the client sent it; null for a section that is derived from questions
 * @returns the ids of the written sections, in order
 */
export const writeSections = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  stored: readonly StoredSection[],
  wanted: readonly { name: string; order: number | null }[],
): Promise<string[]> => {
  const idOf = new Map(stored.map(({ id, name }) => [labelKey(name), id]));
  const kept = wanted.map((section, index) => ({
    ...section,
    id: idOf.get(labelKey(section.name)) ?? newId(),
    position: index + 1,
  }));
  // Positions are unique and checked row by row, so the stored positions become negative before new ones are written.
  await sql`
    update sections set position = -position
    where institute_id = ${exam.instituteId} and exam_id = ${exam.examId}`.execute(tx);
  if (kept.length > 0) {
    await sql`
      insert into sections (id, institute_id, exam_id, name, position, sent_order)
      select id, ${exam.instituteId}, ${exam.examId}, name, position, "order"
      from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb)
        as sent(id uuid, name text, position int, "order" bigint)
      on conflict (id) do update set
        name = excluded.name, position = excluded.position, sent_order = excluded.sent_order`.execute(tx);
  }
  return kept.map(({ id }) => id);
};

/** Deletes the sections of an exam that are not among `ids`. No question may be in them. */
export const dropOtherSections = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  ids: readonly string[],
): Promise<void> => {
  await sql`
    delete from sections
    where institute_id = ${exam.instituteId} and exam_id = ${exam.examId}
      and id <> all(${[...ids]}::uuid[])`.execute(tx);
};
