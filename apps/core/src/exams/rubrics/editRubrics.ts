import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import {
  MAX_RUBRIC_EDITS,
  RubricsEdit,
  type QuestionType,
  type RubricsEdited,
  type Warning,
} from '@evaluation/rest-contract/schemas';
import { checkRubric, isRead, materialWarnings, type Parts } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept, isUuid, refuse } from '../../command/accept.ts';
import { changesBetween } from '../../command/audit.ts';
import { lockExamFor } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import { appendVersion, type VersionRow } from '../paper/appendVersion.ts';
import { rubricInForce } from '../paper/inForce.ts';
import { editMaterial, ofClient, type Material } from '../paper/material.ts';
import { auditQuestions } from '../questions/auditPaper.ts';
import { savePendingRubricsOfExam } from '../paper/savePending.ts';

/**
 * Sets and clears rubrics and model answers in one transaction and one new version. Fields that are sent with their
 * stored value do not count as a change, and a call without changes makes no version.
 *
 * The version in `ifMatch` is compared under the exam's lock, so of two edits based on the same version the second
 * fails.
 * @param ifMatch the header as sent
 * @throws DomainFailure exam_not_found, exam_finalized, service_unavailable while the first version cannot be saved,
 * rubric_version_mismatch, validation_failed, and the errors of the rules of a rubric
 */
export const editRubrics = (
  services: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  ifMatch: string | undefined,
  body: unknown,
): Promise<RubricsEdited> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExamFor(tx, actor, examId, 'edit_texts');
    const current = (await savePendingRubricsOfExam(tx, actor.institute_id, exam.id)) ?? exam.rubric_version;
    if (ifMatch !== undefined && !namesVersion(ifMatch, current)) {
      throw new DomainFailure('rubric_version_mismatch');
    }
    const ids = namedIn(body);
    const asked = await readAsked(tx, actor.institute_id, exam.id, current, ids);
    const edits = accept(RubricsEdit, body, (parts) =>
      isRead(parts) ? editProblems(asked, ids, parts.questions ?? {}) : [],
    );
    const questions = edits.questions ?? {};
    const problems = editProblems(asked, ids, questions);
    if (problems.length > 0) refuse(problems);

    const warnings: Warning[] = [];
    const changed: VersionRow[] = [];
    const changes: [string, ReturnType<typeof changesBetween>][] = [];
    const named: AskedQuestion[] = [];
    for (const [id, edit] of Object.entries(questions)) {
      const question = asked.get(id.toLowerCase());
      if (question === undefined) continue;
      named.push(question);
      const after = editMaterial(question.material, edit);
      if (after === null) continue;
      changed.push({ question_id: question.id, ...after });
      changes.push([question.label, changesBetween({ ...ofClient(question.material) }, after)]);
      warnings.push(...materialWarnings({ label: question.label, ...after }));
    }
    const version = changed.length === 0 ? current : current + 1;
    if (changed.length > 0) {
      await appendVersion(tx, { instituteId: actor.institute_id, examId: exam.id }, version, changed);
      await touch(tx, actor.institute_id, exam.id, version, changed);
      await auditQuestions(tx, actor, exam.id, changes);
    }
    return {
      version,
      questions: named.map(({ id }) => ({ question_id: id })),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  });

/** Matches `3`, or `"3"` as an entity tag, or `*`. Weak tags differ: If-Match compares strongly (RFC 9110, 13.1.1). */
const namesVersion = (ifMatch: string, version: number): boolean => {
  const sent = ifMatch.trim();
  return sent === '*' || sent === String(version) || sent === `"${version}"`;
};

/**
 * Question ids as sent, because the schema ignores a key `__proto__`. The schema refuses more than MAX_RUBRIC_EDITS.
 */
const namedIn = (body: unknown): string[] => {
  const questions: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'questions') : null;
  return typeof questions === 'object' && questions !== null
    ? Object.keys(questions).slice(0, MAX_RUBRIC_EDITS)
    : [];
};

/** Checks edits against the questions of the exam and the rules of a rubric, on the parts that could be parsed. */
const editProblems = (
  asked: ReadonlyMap<string, AskedQuestion>,
  ids: readonly string[],
  questions: Parts<NonNullable<RubricsEdit['questions']>>,
): Problem[] => {
  if (!isRead(questions)) return [];
  const named = new Set<string>();
  return ids.flatMap((sentId): Problem[] => {
    const at = `questions.${sentId}`;
    const question = asked.get(sentId.toLowerCase());
    if (question === undefined) {
      return [{ field: at, code: 'unknown_question', message: 'The exam has no such question.' }];
    }
    if (named.has(question.id)) {
      return [{ field: at, code: 'duplicate', message: 'The question is named twice.' }];
    }
    named.add(question.id);
    if (question.type !== 'long_answer') {
      return [{ field: at, code: 'not_allowed', message: `Not allowed for ${question.type}.` }];
    }
    const edit = questions[sentId];
    return edit !== undefined && isRead(edit) && edit.rubric != null
      ? checkRubric(edit.rubric, question.max_marks, `${at}.rubric`)
      : [];
  });
};

interface AskedQuestion {
  id: string;
  label: string;
  type: QuestionType;
  max_marks: number;
  material: Material | null;
}

const readAsked = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  version: number,
  ids: readonly string[],
): Promise<Map<string, AskedQuestion>> => {
  const { rows } = await sql<
    Omit<AskedQuestion, 'material'> & Material & { source: Material['source'] | null }
  >`
    select q.id, q.label, q.type, q.max_marks::float8 as max_marks, v.source, v.rubric, v.model_answer
    from questions q
    left join lateral ${rubricInForce(sql`${version}`)} v on true
    where q.institute_id = ${instituteId} and q.exam_id = ${examId}
      and q.id = any(${ids.filter(isUuid)}::uuid[])`.execute(tx);
  return new Map(
    rows.map(({ source, rubric, model_answer, ...question }) => [
      question.id,
      { ...question, material: source === null ? null : { source, rubric, model_answer } },
    ]),
  );
};

/** Sets the exam's version and moves `updated_at` of the changed questions. */
const touch = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  version: number,
  changed: readonly VersionRow[],
): Promise<void> => {
  await tx
    .updateTable('exams')
    .set({ rubric_version: version })
    .where('institute_id', '=', instituteId)
    .where('id', '=', examId)
    .execute();
  await sql`
    update questions set updated_at = updated_at
    where institute_id = ${instituteId} and exam_id = ${examId}
      and id = any(${changed.map(({ question_id }) => question_id)}::uuid[])`.execute(tx);
};
