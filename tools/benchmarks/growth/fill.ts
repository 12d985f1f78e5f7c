import pg from 'pg';
import { createExam, submit } from '../../../tests/harness/api.ts';
import { copyRows } from '../../../tests/harness/copyRows.ts';
import { longAnswer, trueFalse, typedExam } from '../../../tests/harness/papers.ts';
import type { Site } from './site.ts';

interface Size {
  /** Graded submissions, in exams of EXAM_SIZE. */
  submissions: number;
  /** Waiting submissions of the same institute, in one exam. */
  waiting: number;
  /** Other institutes with RUNS_OF_OTHERS waiting runs each, which have no submissions. */
  institutes: number;
}

/** The exams whose submissions are measured. */
export interface Places {
  gradedExamId: string;
  waitingExamId: string;
}

const QUESTIONS = 20;
const EXAM_SIZE = 100_000;
const RUNS_OF_OTHERS = 20;
const CHUNK = 20_000;

/** Time-ordered ids, as core makes them. */
const ID_AT = `
  create function pg_temp.id_at(at timestamptz) returns uuid language sql volatile as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(r, 1, 3) || 'a' || substr(r, 4, 15))::uuid
    from (select md5(random()::text) as r) random_digits
  $$`;

const count = (from: number, size: number, each: number): number => Math.min(each, size - from);

export const fill = async (
  site: Site,
  size: Size,
  onProgress: (line: string) => void = () => {},
): Promise<Places> => {
  const { api, instituteId } = site;
  const graded = Array.from({ length: QUESTIONS }, (_, index) => trueFalse(String(index + 1)));
  const examIds: string[] = [];
  for (let from = 0; from < size.submissions; from += EXAM_SIZE)
    examIds.push((await createExam(api, typedExam(graded))).id);
  const waitingExam = await createExam(api, typedExam([longAnswer('1')]));
  const [gradedExamId = ''] = examIds;
  const { id: gradedId } = await submit(api, gradedExamId, {
    candidate: { external_id: 'template-graded' },
    answers: graded.map(({ label }) => ({ question_label: label, option_labels: ['T'] })),
  });
  const { id: waitingId } = await submit(api, waitingExam.id, {
    candidate: { external_id: 'template-waiting' },
    answers: [{ question_label: '1', text: 'Because of this. '.repeat(20) }],
  });

  const tables = new pg.Client({ connectionString: site.superuserUrl });
  await tables.connect();
  try {
    // Foreign keys and triggers are not checked, and commits do not wait for WAL.
    await tables.query('set session_replication_role = replica');
    await tables.query(ID_AT);
    const inChunks = async (
      what: string,
      total: number,
      work: (from: number, to: number) => Promise<void>,
    ) => {
      for (let from = 0; from < total; from += CHUNK) {
        await work(from + 1, from + count(from, total, CHUNK));
        if ((from / CHUNK) % 10 === 0) onProgress(`${what}: ${from} of ${total}`);
      }
    };
    const candidates = Math.max(Math.min(size.submissions, EXAM_SIZE), size.waiting);
    const [start, end] = [`(now() - interval '30 days')`, `(now() - interval '1 hour')`];
    const timeOf = (n: string, total: number) => `${start} + (${end} - ${start}) * (${n}::float8 / ${total})`;
    await tables.query('create temp table people (n int primary key, id uuid)');
    await inChunks('candidates', candidates, async (from, to) => {
      await tables.query(
        `insert into people select n, pg_temp.id_at(${timeOf('n', candidates)}) from generate_series(${from}, ${to}) n`,
      );
      await copyRows(
        tables,
        'candidates',
        `external_id = 'template-graded'`,
        `select * from people where n between ${from} and ${to}`,
        {
          id: 'n.id',
          external_id: `'candidate-' || n.n`,
        },
      );
    });

    await tables.query(
      'create temp table made (n int, person uuid, submission uuid, run uuid, at timestamptz)',
    );
    const submissionsOf = async (
      template: string,
      examId: string,
      from: number,
      to: number,
      total: number,
    ) => {
      await tables.query('truncate made');
      await tables.query(
        `insert into made
         select timed.n, p.id, pg_temp.id_at(at), pg_temp.id_at(at), at
         from (select n, ${timeOf('n', total)} as at from generate_series(${from}, ${to}) n) timed
         join people p on p.n = (timed.n - 1) % ${candidates} + 1`,
      );
      const ofTemplate = `submission_id = '${template}'`;
      const exam = { exam_id: `'${examId}'` };
      const times = { created_at: 'n.at', updated_at: 'n.at' };
      await copyRows(
        tables,
        'registrations',
        `candidate_id = (select candidate_id from submissions where id = '${template}')`,
        'select * from made',
        {
          ...exam,
          ...times,
          id: 'pg_temp.id_at(n.at)',
          candidate_id: 'n.person',
        },
      );
      await copyRows(tables, 'submissions', `id = '${template}'`, 'select * from made', {
        ...exam,
        ...times,
        id: 'n.submission',
        candidate_id: 'n.person',
        current_run_id: 'n.run',
      });
      await copyRows(tables, 'runs', ofTemplate, 'select * from made', {
        id: 'n.run',
        submission_id: 'n.submission',
        // The dispatcher may have released the template.
        status: `case when t.place is null then t.status else 'queued' end`,
        released_at: 'null',
        queued_at: 'n.at',
        place: 'case when t.place is null then null else n.n + 1 end',
      });
      return ofTemplate;
    };
    await inChunks('graded submissions', size.submissions, async (from, to) => {
      const examId = examIds[Math.floor((from - 1) / EXAM_SIZE)] ?? '';
      await submissionsOf(gradedId, examId, from, to, size.submissions);
      await copyRows(
        tables,
        'question_results',
        `run_id = (select current_run_id from submissions where id = '${gradedId}')`,
        'select * from made',
        { run_id: 'n.run', created_at: 'n.at' },
      );
    });
    await inChunks('waiting submissions', size.waiting, async (from, to) => {
      const ofTemplate = await submissionsOf(waitingId, waitingExam.id, from, to, size.waiting);
      await copyRows(tables, 'answers', ofTemplate, 'select * from made', { submission_id: 'n.submission' });
      await copyRows(
        tables,
        'credit_entries',
        `run_id = (select current_run_id from submissions where id = '${waitingId}')`,
        'select * from made',
        { id: `nextval('credit_entries_id_seq')`, run_id: 'n.run', created_at: 'n.at' },
      );
    });
    await inChunks('other institutes', size.institutes, async (from, to) => {
      await tables.query(
        `insert into institutes (id, name) select gen_random_uuid(), 'Other ' || n from generate_series(${from}, ${to}) n`,
      );
      await copyRows(
        tables,
        'runs',
        `submission_id = '${waitingId}'`,
        `select i.id, at from institutes i, generate_series(1, ${RUNS_OF_OTHERS}) at
         where i.name in (select 'Other ' || n from generate_series(${from}, ${to}) n)`,
        {
          id: 'gen_random_uuid()',
          institute_id: 'n.id',
          submission_id: 'gen_random_uuid()',
          status: `'queued'`,
          released_at: 'null',
          queued_at: `${end} + n.at * interval '1 second'`,
          place: 'n.at',
        },
      );
    });
    await tables.query(
      `update run_queues set last_place = last_place + ${size.waiting} where institute_id = '${instituteId}' and lane = 'typed'`,
    );
    await tables.query(
      `update credit_accounts set committed = (select coalesce(sum(amount), 0) from credit_entries where kind = 'reserve' and institute_id = '${instituteId}')
       where institute_id = '${instituteId}'`,
    );
    await tables.query(
      `update exams e set live_submissions = s.n, live_unfinalized = s.n
       from (select exam_id, count(*) as n from submissions group by exam_id) s where s.exam_id = e.id`,
    );
    onProgress('vacuum analyze');
    await tables.query('vacuum analyze');
    const { rows } = await tables.query<{ size: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size',
    );
    onProgress(`the database has ${rows[0]?.size ?? '?'}`);
  } finally {
    await tables.end();
  }
  return { gradedExamId, waitingExamId: waitingExam.id };
};
