import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { exact } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { readAccount } from '../../credits/account.ts';
import { findExam } from '../../command/locks/findExam.ts';
import { savePendingRubricsOfExam } from '../../exams/paper/savePending.ts';
import type { Services } from '../../command/services.ts';
import { gradedBefore, verdictSql, type ExamAtVersion, type Verdict } from '../../submissions/outdated.ts';

/** Bill of grading again what was graded under an older rubric or model answer. */
interface RegradeBill {
  exam_id: string;
  /** The command names this version, so that it is refused if the rubrics change after the preview. */
  rubric_version: number;
  /** Questions with a rubric or model answer that is newer than a graded live submission. */
  questions: { question_id: string; label: string; changed_in: number }[];
  /** Submissions that the command grades again. */
  outdated: number;
  /** Outdated submissions whose approval a new run clears. */
  approved: number;
  /** Credits of all outdated submissions: the stored quote of each. */
  credits: number;
  available: number;
  sufficient: boolean;
  /** Graded live submissions of an older version that the command leaves as they are. */
  skipped: Record<Exclude<Verdict, 'outdated'>, number>;
  /** Submissions that are being graded under an older version; they are outdated when their run is complete. */
  in_progress: number;
}

/** Reads only; no credits are reserved. @throws DomainFailure exam_not_found, service_unavailable */
export const previewRegrade = (services: Services, actor: Actor, examId: string): Promise<RegradeBill> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const exam = await findExam(tx, actor, examId);
    const version = (await savePendingRubricsOfExam(tx, instituteId, exam.id)) ?? exam.rubric_version;
    const atVersion = { instituteId, examId: exam.id, version };
    const counts = await countByVerdict(tx, atVersion);
    const count = (verdict: Verdict): number => counts.find((row) => row.verdict === verdict)?.count ?? 0;
    const outdated = counts.find(({ verdict }) => verdict === 'outdated');
    const credits = exact(outdated?.credits ?? 0);
    const { available } = await readAccount(tx, instituteId);
    return {
      exam_id: exam.id,
      rubric_version: version,
      questions: await changedQuestions(tx, atVersion),
      outdated: outdated?.count ?? 0,
      approved: outdated?.approved ?? 0,
      credits: credits.toNumber(),
      available: available.toNumber(),
      // A price of 0 is accepted whatever the balance, as in `reserve`.
      sufficient: credits.isZero() || available.gte(credits),
      skipped: {
        teacher_marked: count('teacher_marked'),
        unaffected: count('unaffected'),
        finalized: count('finalized'),
        erased: count('erased'),
      },
      in_progress: await countInProgress(tx, atVersion),
    };
  });

interface CountRow {
  verdict: Verdict;
  count: number;
  approved: number;
  credits: string;
}

const countByVerdict = async (tx: Tx, exam: ExamAtVersion): Promise<CountRow[]> => {
  const { rows } = await sql<CountRow>`
    select verdict, count(*)::int as count, count(approved_at)::int as approved, sum(quote_credits) as credits
    from (
      select ${verdictSql(exam.version)} as verdict, s.approved_at, s.quote_credits
      from submissions s where ${gradedBefore(exam)}) judged
    group by verdict`.execute(tx);
  return rows;
};

const countInProgress = async (tx: Tx, exam: ExamAtVersion): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from submissions s
    where s.institute_id = ${exam.instituteId} and s.exam_id = ${exam.examId} and s.state = 'live'
      and s.status in ('processing', 'reading', 'grading') and s.rubric_version < ${exam.version}`.execute(
    tx,
  );
  return rows[0]?.count ?? 0;
};

const changedQuestions = async (tx: Tx, exam: ExamAtVersion): Promise<RegradeBill['questions']> => {
  const { rows } = await sql<RegradeBill['questions'][number]>`
    select q.id as question_id, q.label, max(v.version) as changed_in
    from questions q
    join rubric_versions v on v.institute_id = q.institute_id and v.question_id = q.id and v.source = 'client'
    where q.institute_id = ${exam.instituteId} and q.exam_id = ${exam.examId} and v.version <= ${exam.version}
      and v.version > (
        select min(s.rubric_version) from submissions s where ${gradedBefore(exam)})
    group by q.id, q.label, q.position
    order by q.position`.execute(tx);
  return rows;
};
