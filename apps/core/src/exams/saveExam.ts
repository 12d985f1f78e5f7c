import type { Tx } from '@evaluation/database';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import { ExamCreate, QuestionInput, type Exam } from '@evaluation/rest-contract/schemas';
import { isRead, NEGATIVE_MARKS_IGNORED, paperProblems, paperSteps } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { finishInSlices } from '@evaluation/platform/turns';
import * as z from 'zod/v4';
import { acceptInSlices, refuse } from '../command/accept.ts';
import { audit, changesBetween } from '../command/audit.ts';
import { failure } from '../command/failures.ts';
import { lockExamFor, refuseChange } from '../command/locks/lockExam.ts';
import { auditPaper } from './questions/auditPaper.ts';
import { savePendingRubricsOfExam } from './paper/savePending.ts';
import { asSent } from './questions/questionFields.ts';
import type { Services } from '../command/services.ts';
import { readStoredForm, revisionOf, type StoredForm } from './examForm.ts';
import { withExternalRef } from './externalRef.ts';
import { planPaper, type PaperPlan } from './planPaper.ts';
import { readExam } from './readExam.ts';
import { writePaper } from './writePaper.ts';
import { EXAM_FIELDS, isClearable, writeExamFields } from './examFields.ts';

/**
 * A whole exam as its form at the desk sends it: the body of a new exam, with the ids of the questions that are stored.
 * Stored questions that are missing are removed. Absent fields of the exam are cleared, except those that must have a
 * value. Fields of a stored question that the form does not show keep their value when they are absent.
 */
const ExamSave = ExamCreate.omit({ open: true, candidates: true }).extend({
  questions: z.array(QuestionInput.extend({ id: z.uuid().nullish() })).max(200),
});
type ExamSave = z.output<typeof ExamSave>;
export type ExamSaveBody = z.input<typeof ExamSave>;
type SavedQuestion = ExamSave['questions'][number];

/**
 * Saves all changes of an exam's form in one transaction, or none (docs/decisions/093-an-exam-is-saved-whole.md). The
 * revision that the form has shown is compared under the exam's lock, so a change of another person is not
 * overwritten. In an open exam only what `editExam` and `editQuestion` allow there can change. A form without changes
 * writes nothing.
 * @throws DomainFailure exam_not_found, exam_finalized, conflict, validation_failed, exam_exists and the errors of the
 * rules of a paper
 */
export const saveExam = (
  services: Services,
  actor: Actor,
  { exam_id: examId, seen, body }: { exam_id: string; seen: string; body: unknown },
): Promise<Exam> =>
  withExternalRef(services, actor, referenceIn(body), () =>
    services.database.inTenant(actor.institute_id, async (tx) => {
      const exam = await lockExamFor(tx, actor, examId, 'edit');
      const place = { instituteId: actor.institute_id, examId: exam.id };
      const version =
        (await savePendingRubricsOfExam(tx, actor.institute_id, exam.id)) ?? exam.rubric_version;
      const stored = await readStoredForm(tx, actor.institute_id, exam.id);
      if (revisionOf(stored) !== seen) throw failure('exam_changed');

      const sent = await acceptInSlices(ExamSave, body, (parts) =>
        isRead(parts) ? paperProblems(parts) : [],
      );
      const questions = sent.questions.map((question) => withHidden(stored, question));
      const { mode } = sent;
      const paper = await finishInSlices(paperSteps({ mode, sections: sent.sections ?? null, questions }));
      const problems = [...paper.problems, ...idProblems(stored, sent.questions)];
      if (problems.length > 0) refuse(problems);

      const fields = changedFields(stored, sent);
      const plan = planPaper(stored, { mode, paper, ids: sent.questions.map(({ id }) => id ?? null) });
      if ('mode' in fields || 'blind' in fields || plan.sections !== null) refuseChange(exam, 'restructure');
      if (plan.changesScheme) refuseChange(exam, 'change_scheme');

      if (plan.sections !== null || Object.keys(fields).length > 0) await writeExamFields(tx, place, fields);
      await writePaper(tx, place, stored, plan, version);
      await auditSave(tx, actor, exam.id, stored, fields, plan, mode);
      return readExam(tx, actor, exam.id, {
        dashboardUrl: services.settings.dashboardUrl,
        // `readExam` derives the other warnings from the stored exam.
        warnings: paper.warnings.filter(({ code }) => code === NEGATIVE_MARKS_IGNORED),
      });
    }),
  );

const auditSave = async (
  tx: Tx,
  actor: Actor,
  examId: string,
  stored: StoredForm,
  fields: Record<string, unknown>,
  plan: PaperPlan,
  mode: ExamSave['mode'],
): Promise<void> => {
  const named = plan.sections === null ? {} : { sections: plan.sections.map(({ name }) => name) };
  const changes = changesBetween(
    { ...stored.fields, sections: stored.sections.map(({ name }) => name) },
    { ...fields, ...named },
  );
  if (Object.keys(changes.after).length > 0)
    await audit(tx, actor, [{ action: 'exam_edit', exam_id: examId, ...changes }]);
  const edited = [
    ...plan.questions
      .filter(({ isChanged, material }) => isChanged || material !== null)
      .map(({ stored: one, placed }) => ({
        before: one === null ? null : asSent(one.question),
        after: placed.question,
      })),
    ...stored.questions
      .filter(({ question }) => plan.removed.includes(question.id))
      .map(({ question }) => ({ before: asSent(question), after: null })),
  ];
  await auditPaper(tx, actor, examId, edited, { mode, firstSection: stored.sections[0]?.name ?? null });
};

const referenceIn = (body: unknown): string | null => {
  const reference: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'external_ref') : null;
  return typeof reference === 'string' ? reference : null;
};

/** Fields that the form does not show. `tags` may hold numbers that a browser cannot keep exactly. */
const HIDDEN = [
  'parent_label',
  'word_limit',
  'expects_diagram',
  'assess_language',
  'tags',
  'external_id',
] as const;

const withHidden = ({ questions }: StoredForm, { id, ...sent }: SavedQuestion): QuestionInput => {
  const stored = questions.find(({ question }) => question.id === id);
  if (stored === undefined) return sent;
  const before = asSent(stored.question);
  const kept = HIDDEN.filter((field) => sent[field] === undefined).map((field) => [field, before[field]]);
  return { ...sent, ...Object.fromEntries(kept) };
};

const idProblems = ({ questions }: StoredForm, sent: readonly SavedQuestion[]): Problem[] => {
  const types = new Map(questions.map(({ question }) => [question.id, question.type]));
  const named = new Set<string>();
  return sent.flatMap(({ id, type }, index): Problem[] => {
    if (id == null) return [];
    const at = `questions[${index}]`;
    const storedType = types.get(id);
    const isRepeated = named.has(id);
    named.add(id);
    if (storedType === undefined)
      return [{ field: `${at}.id`, code: 'unknown_question', message: 'The exam has no such question.' }];
    if (isRepeated)
      return [{ field: `${at}.id`, code: 'duplicate', message: 'The question is named twice.' }];
    return storedType === type
      ? []
      : [{ field: `${at}.type`, code: 'not_allowed', message: 'The type of a question cannot change.' }];
  });
};

const changedFields = ({ fields: stored }: StoredForm, sent: ExamSave) => {
  const wanted = EXAM_FIELDS.map((field) => {
    const absent = isClearable(field) ? null : stored[field];
    return [field, sent[field] ?? absent] as const;
  });
  return Object.fromEntries(wanted.filter(([field, value]) => value !== stored[field]));
};
