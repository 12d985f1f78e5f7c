import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { audit } from '../../command/audit.ts';
import { failure } from '../../command/failures.ts';
import { findExam } from '../../command/locks/findExam.ts';
import { lockExam } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import { joinReview } from '../../guides/guideMarks.ts';
import { peopleOfExam } from '../queue/ownShare.ts';
import { isDecided } from '../queue/questionProgress.ts';
import { splitCopies, type SharedCandidate } from './splitCopies.ts';

/*
 * Who marks what of an exam: people for each question, or so many copies for each person. Shares decide what *Next*
 * gives (`../queue/ownShare.ts`) and refuse no mark.
 *
 * State: rows of `marking_shares`, which one command replaces together, under the lock of the exam. Copies are shared
 * by their candidates, so a replaced copy stays with its person. A candidate who is registered later has no person
 * until work is shared out again.
 */

export const Sharing = z.discriminatedUnion('by', [
  z.object({ by: z.literal('none') }),
  z.object({
    by: z.literal('question'),
    questions: z.array(z.object({ question_id: z.uuid(), staff_ids: z.array(z.uuid()).max(100) })).max(1000),
  }),
  z.object({
    by: z.literal('copies'),
    people: z.array(z.object({ staff_id: z.uuid(), copies: z.int().gte(0).lte(1_000_000) })).max(100),
  }),
]);
export type Sharing = z.infer<typeof Sharing>;

interface PersonOfExam {
  staff_id: string;
  name: string;
  /** Candidates whose copies are this person's. */
  copies: number;
  /** Results that are shared out to this person, and those of them that are decided. */
  answers: number;
  decided: number;
}

interface Shares {
  by: Sharing['by'];
  /** Time of the last change, which the next one names; null if nothing is shared. */
  shared_at: string | null;
  /** People to whom work can be given, by name. */
  people: PersonOfExam[];
  questions: { question_id: string; label: string; staff_ids: string[] }[];
  /** Registered candidates. */
  candidates: number;
}

/** @throws DomainFailure exam_not_found */
export const listShares = (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
): Promise<Shares> =>
  database.inTenant(actor.institute_id, async (tx) =>
    readShares(tx, actor, (await findExam(tx, actor, examId)).id),
  );

/**
 * Replaces the shares of an exam.
 * @param seen `shared_at` that the page showed
 * @throws DomainFailure exam_not_found; not_found for another's question or person; conflict if the shares have changed
 * since they were read
 */
export const shareOut = (
  { database }: Pick<Services, 'database'>,
  actor: Actor,
  { exam_id, seen, sharing }: { exam_id: string; seen: string | null; sharing: Sharing },
): Promise<Shares> =>
  database.inTenant(actor.institute_id, async (tx) => {
    const { institute_id: instituteId } = actor;
    const exam = await lockExam(tx, actor, exam_id);
    const before = await readShares(tx, actor, exam.id);
    if (before.shared_at !== seen) throw failure('shares_changed');
    const rows = await rowsOf(tx, actor, exam.id, before, sharing);
    await tx
      .deleteFrom('marking_shares')
      .where('institute_id', '=', instituteId)
      .where('exam_id', '=', exam.id)
      .execute();
    await sql`
      insert into marking_shares (institute_id, exam_id, subject_id, staff_id, shared_at)
      select ${instituteId}, ${exam.id}, w.subject_id, w.staff_id, transaction_timestamp()
      from unnest(${rows.map(({ subject_id }) => subject_id)}::uuid[],
        ${rows.map(({ staff_id }) => staff_id)}::uuid[]) as w (subject_id, staff_id)
      on conflict do nothing`.execute(tx);
    const after = await readShares(tx, actor, exam.id);
    await audit(tx, actor, [
      {
        action: 'exam_edit',
        exam_id: exam.id,
        before: { shares: namesIn(before) },
        after: { shares: namesIn(after) },
      },
    ]);
    return after;
  });

/** @throws DomainFailure not_found for a question of another exam, or a person who cannot be given work */
const rowsOf = async (
  tx: Tx,
  actor: Actor,
  examId: string,
  { people, questions }: Shares,
  sharing: Sharing,
): Promise<{ subject_id: string; staff_id: string }[]> => {
  if (sharing.by === 'none') return [];
  const known = new Set(people.map(({ staff_id }) => staff_id));
  if (sharing.by === 'question') {
    const asked = new Set(questions.map(({ question_id }) => question_id));
    return sharing.questions.flatMap(({ question_id, staff_ids }) => {
      if (!asked.has(question_id)) throw failure('no_such_question');
      if (!staff_ids.every((id) => known.has(id))) throw failure('no_such_staff');
      return staff_ids.map((staff_id) => ({ subject_id: question_id, staff_id }));
    });
  }
  if (!sharing.people.every(({ staff_id }) => known.has(staff_id))) throw failure('no_such_staff');
  // The order is random, so that no person gets a class, or the end of the alphabet.
  const { rows } = await sql<SharedCandidate>`
    select r.candidate_id, (select m.staff_id from marking_shares m
      where m.institute_id = r.institute_id and m.exam_id = r.exam_id and m.subject_id = r.candidate_id
      limit 1) as staff_id
    from registrations r
    where r.institute_id = ${actor.institute_id} and r.exam_id = ${examId}
    order by md5(r.id::text)`.execute(tx);
  return splitCopies(rows, sharing.people).map(({ candidate_id, staff_id }) => ({
    subject_id: candidate_id,
    staff_id,
  }));
};

const readShares = async (tx: Tx, actor: Actor, examId: string): Promise<Shares> => {
  const { institute_id: instituteId } = actor;
  const ofExam = sql`m.institute_id = ${instituteId} and m.exam_id = ${examId}`;
  const { rows: people } = await sql<PersonOfExam>`
    select p.id as staff_id, p.name, coalesce(w.answers, 0) as answers, coalesce(w.decided, 0) as decided,
      (select count(*)::int from marking_shares m join registrations r
        on r.institute_id = m.institute_id and r.exam_id = m.exam_id and r.candidate_id = m.subject_id
      where ${ofExam} and m.staff_id = p.id) as copies
    from staff p
    left join (
      select m.staff_id, count(*)::int as answers, count(*) filter (where ${isDecided})::int as decided
      from submissions s
      join question_results r on r.institute_id = s.institute_id and r.run_id = s.current_run_id
      join marking_shares m on m.institute_id = s.institute_id and m.exam_id = s.exam_id
        and m.subject_id in (r.question_id, s.candidate_id)
      ${joinReview}
      where s.institute_id = ${instituteId} and s.exam_id = ${examId} and s.state = 'live'
        and s.status in ('graded', 'partially_graded') and s.erased_at is null
      group by m.staff_id) w on w.staff_id = p.id
    where p.institute_id = ${instituteId} and p.id in (${peopleOfExam(actor, sql`${examId}::uuid`)})
    order by p.name, p.id`.execute(tx);
  const { rows: questions } = await sql<Shares['questions'][number]>`
    select q.id as question_id, q.label, array(
      select m.staff_id from marking_shares m where ${ofExam} and m.subject_id = q.id
        and m.staff_id = any(${people.map(({ staff_id }) => staff_id)}::uuid[])) as staff_ids
    from questions q
    where q.institute_id = ${instituteId} and q.exam_id = ${examId}
    order by q.position`.execute(tx);
  const { rows } = await sql<{ shared_at: Date | null; candidates: number }>`
    select (select max(m.shared_at) from marking_shares m where ${ofExam}) as shared_at,
      (select count(*)::int from registrations r
        where r.institute_id = ${instituteId} and r.exam_id = ${examId}) as candidates`.execute(tx);
  const isByQuestion = questions.some(({ staff_ids }) => staff_ids.length > 0);
  return {
    by: isByQuestion ? 'question' : people.some(({ copies }) => copies > 0) ? 'copies' : 'none',
    shared_at: rows[0]?.shared_at?.toISOString() ?? null,
    people,
    questions,
    candidates: rows[0]?.candidates ?? 0,
  };
};

/** What the audit keeps: labels of questions, or numbers of copies, by name. */
const namesIn = ({ by, people, questions }: Shares): Record<string, string[] | number> => {
  const shared = people.flatMap(({ staff_id, name, copies }): [string, string[] | number][] => {
    if (by === 'copies') return copies > 0 ? [[name, copies]] : [];
    const labels = questions.flatMap(({ label, staff_ids }) => (staff_ids.includes(staff_id) ? [label] : []));
    return labels.length > 0 ? [[name, labels]] : [];
  });
  return Object.fromEntries(shared);
};
