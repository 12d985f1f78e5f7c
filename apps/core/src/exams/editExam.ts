import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { ExamEdit, type Exam, type Warning } from '@evaluation/rest-contract/schemas';
import { inOrder, isRead, negativeMarksIgnored, repeatedSections } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept, refuse } from '../command/accept.ts';
import { audit, changesBetween } from '../command/audit.ts';
import type { Services } from '../command/services.ts';
import { editSections, readSections, withoutSection, type StoredSection } from './editSections.ts';
import { withExternalRef } from './externalRef.ts';
import { lockExamFor, refuseChange } from '../command/locks/lockExam.ts';
import { readExamFields, writeExamFields } from './examFields.ts';
import { readExam } from './readExam.ts';

/**
 * Edits an exam (open point `exam-edit`): sent fields replace the stored ones, and `null` clears optional fields. Mode,
 * sections and `blind` can change only in a draft. Fields that are sent with their stored value do not count as a
 * change, and an edit without changes keeps `updated_at`.
 * @throws DomainFailure exam_not_found, exam_finalized, conflict, validation_failed, language_not_supported,
 * exam_exists
 */
export const editExam = (services: Services, actor: Actor, examId: string, body: unknown): Promise<Exam> =>
  withExternalRef(services, actor, sentReference(body), () =>
    services.database.inTenant(actor.institute_id, async (tx) => {
      const { id } = await lockExamFor(tx, actor, examId, 'edit');
      const stored = await readExamFields(tx, actor.institute_id, id);
      const sections = await readSections(tx, actor.institute_id, id);
      // Checked before the body is validated, because a refusal for the exam's status precedes errors of fields.
      if (restructures(body, stored, sections)) refuseChange(stored, 'restructure');

      const { sections: sent, ...fields } = accept(ExamEdit, body, (parts) =>
        isRead(parts) && parts.sections !== undefined && isRead(parts.sections)
          ? repeatedSections(parts.sections)
          : [],
      );
      const problems =
        sent === undefined ? [] : [...repeatedSections(sent), ...withoutSection(sections, sent)];
      if (problems.length > 0) refuse(problems);

      const warnings =
        fields.mode === 'handwritten' ? await dropNegativeMarks(tx, actor.institute_id, id) : [];
      const isRearranged =
        sent !== undefined &&
        (await editSections(tx, { instituteId: actor.institute_id, examId: id }, sections, sent));
      const changed = Object.fromEntries(
        Object.entries(fields).filter(
          ([field, value]) => value !== undefined && value !== Reflect.get(stored, field),
        ),
      );
      if (isRearranged || Object.keys(changed).length > 0) {
        await writeExamFields(tx, { instituteId: actor.institute_id, examId: id }, changed);
        const before = { ...stored, ...(isRearranged ? { sections: sections.map(({ name }) => name) } : {}) };
        const after = {
          ...changed,
          ...(isRearranged ? { sections: (sent ?? []).map(({ name }) => name) } : {}),
        };
        await audit(tx, actor, [{ action: 'exam_edit', exam_id: id, ...changesBetween(before, after) }]);
      }
      return readExam(tx, actor, id, {
        dashboardUrl: services.settings.dashboardUrl,
        warnings,
      });
    }),
  );

const fieldOf = (body: unknown, field: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, field)
    ? Reflect.get(body, field)
    : undefined;

const sentReference = (body: unknown): string | null => {
  const reference = fieldOf(body, 'external_ref');
  return typeof reference === 'string' ? reference : null;
};

/** Returns true if the unvalidated body changes mode, `blind` or sections. */
const restructures = (
  body: unknown,
  stored: { mode: string; blind: boolean },
  sections: readonly StoredSection[],
): boolean => {
  const isOther = (field: string, current: unknown): boolean => {
    const sent = fieldOf(body, field);
    return sent !== undefined && !isDeepStrictEqual(sent, current);
  };
  const sent = ExamEdit.shape.sections.safeParse(fieldOf(body, 'sections'));
  const current = sections.map(({ name, order }) => ({ name, order }));
  return (
    isOther('mode', stored.mode) ||
    isOther('blind', stored.blind) ||
    !sent.success ||
    (sent.data !== undefined && !isDeepStrictEqual(inOrder(sent.data), current))
  );
};

/** Clears negative marks, which do not apply to handwritten exams. @returns a warning for each question that had any */
const dropNegativeMarks = async (tx: Tx, instituteId: string, examId: string): Promise<Warning[]> => {
  const { rows } = await sql<{ label: string }>`
    with dropped as (
      update questions set negative_marks = 0
      where institute_id = ${instituteId} and exam_id = ${examId} and negative_marks > 0
      returning label, position)
    select label from dropped order by position`.execute(tx);
  return rows.map(({ label }) => negativeMarksIgnored(label));
};
