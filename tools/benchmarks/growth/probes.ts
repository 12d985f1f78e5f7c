import pg from 'pg';
import { postSubmission } from './submitting.ts';
import type { Places } from './fill.ts';
import type { Site } from './site.ts';

/** A request that uses other rows at each call. */
interface Probe {
  name: string;
  call(): Promise<void>;
  /** An address of the request, which PostgreSQL explains; for a POST the address of a related GET. */
  path: string;
}

const SAMPLE = 200;

/** All reads and submit, on rows spread over the whole tables. */
export const probesOf = async (site: Site, { gradedExamId, waitingExamId }: Places): Promise<Probe[]> => {
  const { api, instituteId } = site;
  const tables = new pg.Client({ connectionString: site.superuserUrl });
  await tables.connect();
  const sample = async (select: string): Promise<string[]> => {
    const { rows } = await tables.query<{ value: string }>(
      `select value::text from (${select}) s order by random() limit ${SAMPLE}`,
    );
    return rows.map(({ value }) => value);
  };
  const ofInstitute = `institute_id = '${instituteId}'`;
  const graded = await sample(
    `select id as value from submissions tablesample system (5) where ${ofInstitute} and status = 'graded'`,
  );
  const gradedIds =
    graded.length > 0 ? graded : await sample(`select id as value from submissions where status = 'graded'`);
  const waiting = await sample(
    `select id as value from submissions where ${ofInstitute} and status = 'queued'`,
  );
  const people = await sample(
    `select id as value from candidates where ${ofInstitute} and external_id like 'candidate-%'`,
  );
  const external = await sample(
    `select external_id as value from candidates where ${ofInstitute} and external_id like 'candidate-%'`,
  );
  const times = await sample(
    `select to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as value from submissions where ${ofInstitute} and status = 'graded'`,
  );
  await tables.end();
  const oneOf = (all: readonly string[]): string => all[Math.floor(Math.random() * all.length)] ?? '';

  const get = (name: string, path: () => string): Probe => ({
    name: `GET ${name}`,
    path: path(),
    call: async () => {
      const { status, body } = await api.get(path());
      if (status !== 200) throw new Error(`GET ${path()} answered ${status}: ${JSON.stringify(body)}`);
    },
  });
  const post = (path: string, body: () => object, related: string): Probe => ({
    name: `POST ${path}`,
    path: related,
    call: async () => {
      const { status, body: answer } = await api.post(path, body());
      if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(answer)}`);
    },
  });
  return [
    get('/me', () => '/me'),
    get('/credits', () => '/credits'),
    get('/exams', () => '/exams'),
    get('/exams/{id}', () => `/exams/${waitingExamId}`),
    get('/exams/{id}/questions', () => `/exams/${gradedExamId}/questions`),
    get('/exams/{id}/rubrics', () => `/exams/${waitingExamId}/rubrics`),
    get('/exams/{id}/candidates', () => `/exams/${gradedExamId}/candidates`),
    get('/candidates/{id}', () => `/candidates/${oneOf(people)}`),
    post('/candidates/search', () => ({ external_ids: [oneOf(external)] }), `/candidates/${oneOf(people)}`),
    post('/exams/search', () => ({ external_ref: 'none' }), '/exams'),
    get('/submissions', () => '/submissions'),
    get('/submissions?updated_since', () => `/submissions?updated_since=${oneOf(times)}`),
    get('/submissions/{id}, graded', () => `/submissions/${oneOf(gradedIds)}`),
    get('/submissions/{id}, waiting', () => `/submissions/${oneOf(waiting)}`),
    get('/submissions/{id}/result', () => `/submissions/${oneOf(gradedIds)}/result`),
    get('/exams/{id}/submissions', () => `/exams/${gradedExamId}/submissions`),
    get(
      '/exams/{id}/submissions?updated_since',
      () => `/exams/${gradedExamId}/submissions?updated_since=${oneOf(times)}`,
    ),
    get('/exams/{id}/submissions?needs_review', () => `/exams/${gradedExamId}/submissions?needs_review=true`),
    get('/exams/{id}/submissions?finalized', () => `/exams/${gradedExamId}/submissions?finalized=true`),
    get('/exams/{id}/submissions, waiting', () => `/exams/${waitingExamId}/submissions?limit=1`),
    get('/exams/{id}/results', () => `/exams/${gradedExamId}/results?limit=10`),
    {
      name: 'POST /exams/{id}/submissions',
      path: `/exams/${waitingExamId}/submissions?limit=1`,
      call: () => postSubmission({ api, examId: waitingExamId }),
    },
  ];
};
