import { randomUUID } from 'node:crypto';
import type {
  Exam,
  ExamList,
  Finalized,
  QuestionResult,
  Submission,
} from '@evaluation/rest-contract/schemas';
import { apiClient, createExam, type Answer, type ApiClient, type ErrorBody } from '../../harness/api.ts';
import { testWorker, type TestWorker, type TestClaim } from '../../harness/testWorker.ts';
import { eventually, type BehindTheApi } from '../../harness/ledger.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { EVERY_SCOPE, type TestService } from '../../harness/service.ts';
import {
  LONG_LABELS,
  type ExamName,
  type ModelState,
  type Operation,
  type Outcome,
  type ModelAnswer,
  type View,
} from './state.ts';

/** Credits and quota of an institute, low enough to run out. */
export interface Funds {
  credits: number;
  limit: number;
  quota: number;
}

/** Page counts of the prepared uploads, which are also their prices. */
const POOL = [1, 2, 1, 3, 1, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 2];

/** An institute in the real service, on which a test performs the model's operations. */
export interface World {
  instituteId: string;
  api: ApiClient;
  begin: ModelState;
  /**
   * Performs an operation. The returned function translates the answer into the model's terms, once the names of all
   * simultaneous operations are known.
   */
  perform(operation: Operation): Promise<() => ModelAnswer>;
  keyOf(id: string): string;
  /** Which exams are shown as finalized. */
  finalExams(): Promise<Record<ExamName, boolean>>;
  viewOf(submission: Submission): View;
  /** Releases a waiting run. The dispatcher releases in turn; a test may release any run next. */
  release(key: string, attempt: number): Promise<void>;
  /** Waits until the dispatcher has released a run. @returns its submission */
  nextReleased(): Promise<string>;
  name(kind: string): string;
}

export const newWorld = async (service: TestService, behind: BehindTheApi, funds: Funds): Promise<World> => {
  const { control } = service.control.as({});
  const { institute_id: instituteId } = await control.createInstitute.mutate({
    name: 'Of a model',
    credits: funds.credits,
    credit_limit: funds.limit,
    daily_copy_quota: funds.quota,
  });
  const newClient = async () =>
    apiClient(
      service.baseUrl,
      (await control.createKey.mutate({ institute_id: instituteId, scopes: EVERY_SCOPE })).api_key,
    );
  const clients = [await newClient(), await newClient()] as const;
  const [api] = clients;
  const exams: Record<ExamName, Exam> = {
    typed: await createExam(api, typedExam([mcq('1'), ...LONG_LABELS.map((label) => longAnswer(label))])),
    copies: await createExam(api, handwrittenExam()),
    'other copies': await createExam(api, handwrittenExam()),
  };
  // End the runs that a failed test left, which would be released first.
  await behind.query(
    `update runs set status = 'cancelled', lease_until = null where status in ('queued', 'released', 'claimed')`,
  );
  const uploads = POOL.map((pages) => ({ id: randomUUID(), pages }));
  // Inserted as ready, since uploading is tested elsewhere.
  await behind.query(
    `insert into uploads (id, institute_id, status, file_name, content_type, size_bytes, object_key, sealed_key, pages)
     select (u->>'id')::uuid, $1, 'ready', 'copy.pdf', 'application/pdf', 1000, 'put/' || (u->>'id'),
       'sealed/' || (u->>'id'), (u->>'pages')::int
     from jsonb_array_elements($2::jsonb) u`,
    [instituteId, JSON.stringify(uploads)],
  );
  const world = inWorld({ service, behind, instituteId, clients, exams, uploads });
  return {
    ...world,
    instituteId,
    api,
    begin: {
      balance: funds.credits,
      limit: funds.limit,
      quota: funds.quota,
      used: 0,
      uploads: POOL.map((pages) => ({ pages, usedBy: null })),
      submissions: {},
      holds: {},
    },
  };
};

const inWorld = (real: {
  service: TestService;
  behind: BehindTheApi;
  instituteId: string;
  clients: readonly [ApiClient, ApiClient];
  exams: Record<ExamName, Exam>;
  uploads: { id: string; pages: number }[];
}): Pick<World, 'perform' | 'keyOf' | 'finalExams' | 'viewOf' | 'release' | 'nextReleased' | 'name'> => {
  const { behind, instituteId } = real;
  const worker: TestWorker = testWorker(real.service);
  const ids = new Map<string, string>();
  const holds = new Map<string, TestClaim>();
  let names = 0;

  const idOf = (key: string): string => {
    const id = ids.get(key);
    if (id === undefined) throw new Error(`${key} was never accepted`);
    return id;
  };
  const keyOf = (id: string): string => [...ids].find(([, known]) => known === id)?.[0] ?? `unknown ${id}`;
  const viewOf = (submission: Submission): View => viewIn(submission, keyOf);
  const client = (index: number): ApiClient => real.clients[index === 0 ? 0 : 1];
  const holdOf = (hold: string): TestClaim => {
    const held = holds.get(hold);
    if (held === undefined) throw new Error(`${hold} was never taken`);
    return held;
  };

  const runOf = async (key: string, attempt: number) => {
    const [run] = await behind.query<{ id: string; status: string; dead_leases: number; delivery: number }>(
      'select id, status, dead_leases, delivery from runs where submission_id = $1 and attempt = $2',
      [idOf(key), attempt],
    );
    if (run === undefined) throw new Error(`${key} has no run ${attempt}`);
    return run;
  };
  const release = async (key: string, attempt: number): Promise<void> => {
    await behind.query(
      `update runs set status = 'released', released_at = clock_timestamp(), delivery = delivery + 1
       where submission_id = $1 and attempt = $2 and status = 'queued'`,
      [idOf(key), attempt],
    );
  };
  const nextReleased = (): Promise<string> =>
    eventually('a run is put out', async () => {
      const [run] = await behind.query<{ submission_id: string }>(
        `select submission_id from runs where institute_id = $1 and status = 'released' order by queued_at limit 1`,
        [instituteId],
      );
      return run === undefined ? undefined : keyOf(run.submission_id);
    });

  const refusal = (http: number, { error }: ErrorBody): ModelAnswer => {
    const existing = error.details?.['submission_id'];
    return { http, code: error.code, existing: typeof existing === 'string' ? keyOf(existing) : null };
  };
  const actual = (answer: Answer<Submission | ErrorBody>): (() => ModelAnswer) => {
    const { status: http, body } = answer;
    return () => ('id' in body ? { http, shown: viewOf(body) } : refusal(http, body));
  };

  const create = async (operation: Extract<Operation, { do: 'create' }>): Promise<() => ModelAnswer> => {
    const answers = [
      { question_label: '1', option_labels: ['B'] },
      ...LONG_LABELS.slice(0, operation.longAnswers).map((label) => ({
        question_label: label,
        text: 'Because of this.',
      })),
    ];
    const answer = await client(operation.client).post<Submission | ErrorBody>(
      `/exams/${real.exams[operation.exam].id}/submissions`,
      {
        candidate: { external_id: `candidate ${operation.candidate}` },
        replace: operation.replace,
        ...(operation.upload === null ? { answers } : { upload_id: real.uploads[operation.upload]?.id }),
      },
    );
    if ('id' in answer.body) ids.set(operation.key, answer.body.id);
    return actual(answer);
  };

  /** Waits for a state: the dispatcher acts at its next tick, and a live worker may write in between. */
  const until = async (what: string, statement: string, runId: string, isOver: string): Promise<void> => {
    await eventually(what, async () => {
      await behind.query(statement, [runId]);
      const rows = await behind.query(`select 1 from runs where id = $1 and (${isOver})`, [runId]);
      return rows.length === 1;
    });
  };
  const OVER = `status in ('completed', 'failed', 'cancelled')`;

  const now = (answer: ModelAnswer) => () => answer;
  const marksOf = (outcomes: Record<string, Outcome>) =>
    Object.fromEntries(
      Object.entries(outcomes).map(
        ([label, outcome]) => [label, outcome === 'failed' ? outcome : 1] as const,
      ),
    );
  const perform: World['perform'] = async (operation) => {
    switch (operation.do) {
      case 'create':
        return create(operation);
      case 'cancel':
      case 're_evaluate': {
        const path = `/submissions/${idOf(operation.key)}/${operation.do === 'cancel' ? 'cancel' : 're-evaluate'}`;
        return actual(await client(operation.client).post<Submission | ErrorBody>(path));
      }
      case 'approve':
        return actual(await client(operation.client).post(`/submissions/${idOf(operation.key)}/approve`));
      case 'unfinalize': {
        const path = `/submissions/${idOf(operation.key)}/unfinalize`;
        return actual(await client(operation.client).post(path, { reason: 'To go on.' }));
      }
      case 'override': {
        const exam = real.exams[operation.exam];
        const question = exam.questions.find(({ label }) => label === operation.label);
        const path = `/submissions/${idOf(operation.key)}/questions/${question?.id}`;
        const { status: http, body } = await client(operation.client).patch<QuestionResult | ErrorBody>(
          path,
          {
            reviewer: 'T-07',
            awarded: 0,
          },
        );
        return () => ('awarded' in body ? { http, overridden: operation.label } : refusal(http, body));
      }
      case 'finalize': {
        const { exam, keys, allowPartial } = operation;
        const { status: http, body } = await client(operation.client).post<Finalized | ErrorBody>(
          `/exams/${real.exams[exam].id}/finalize`,
          {
            allow_partial: allowPartial,
            ...(keys === null ? { all_graded: true } : { submission_ids: keys.map(idOf) }),
          },
        );
        if (!('skipped' in body)) return () => refusal(http, body);
        const { skipped } = body;
        return () => ({
          http,
          skipped: Object.fromEntries(skipped.map((one) => [keyOf(one.submission_id ?? ''), one.reason])),
        });
      }
      case 'delete': {
        const path = `/submissions/${idOf(operation.key)}`;
        const { status: http, body } = await client(operation.client).delete<
          { id: string; deleted: boolean } | ErrorBody
        >(path);
        if (!('id' in body)) return () => refusal(http, body);
        return () => ({ http, deleted: body.deleted ? keyOf(body.id) : 'not deleted' });
      }
      case 'claim': {
        const run = await runOf(operation.key, operation.attempt);
        const held = await worker.deliver({ id: run.id, institute_id: instituteId });
        if (held === null) return now('nothing');
        holds.set(operation.hold, held);
        return now('held');
      }
      case 'step':
        return now(await holdOf(operation.hold).step(operation.step));
      case 'mark':
        return now(await holdOf(operation.hold).mark(marksOf({ [operation.label]: operation.outcome })));
      case 'complete':
        return now(await holdOf(operation.hold).complete(marksOf(operation.marks)));
      case 'fail':
        return now(await holdOf(operation.hold).fail(operation.reason));
      case 'hand_back':
        return now(await holdOf(operation.hold).handBack());
      case 'die': {
        const { id, dead_leases } = await runOf(operation.key, operation.attempt);
        await until(
          `the death of a worker of ${operation.key} is seen`,
          `update runs set lease_until = clock_timestamp() - interval '1 second'
           where id = $1 and status = 'claimed' and dead_leases = ${dead_leases}`,
          id,
          // After the third dead lease the run is ended; before, it is no longer claimed.
          `${OVER} or (status <> 'claimed' and dead_leases < 3)`,
        );
        return now('ok');
      }
      case 'pass_deadline': {
        const { id } = await runOf(operation.key, operation.attempt);
        await until(
          `${operation.key} ended at its deadline`,
          `update runs set deadline_at = clock_timestamp() - interval '1 second' where id = $1 and not (${OVER})`,
          id,
          OVER,
        );
        return now('ok');
      }
      case 'lose_message': {
        await release(operation.key, operation.attempt);
        const { id, delivery } = await runOf(operation.key, operation.attempt);
        await until(
          `the message of ${operation.key} is missed`,
          `update runs set released_at = clock_timestamp() - interval '1 day'
           where id = $1 and status = 'released' and delivery = ${delivery}`,
          id,
          `status = 'queued' or delivery > ${delivery}`,
        );
        return now('ok');
      }
      case 'grant':
        await real.service.control
          .as({})
          .control.grantCredits.mutate({ institute_id: instituteId, amount: operation.credits });
        return now('ok');
    }
  };
  const finalExams = async (): Promise<Record<ExamName, boolean>> => {
    const { body } = await real.clients[0].get<ExamList>('/exams');
    const isFinal = (name: ExamName): boolean =>
      body.data.find(({ id }) => id === real.exams[name].id)?.status === 'finalized';
    return { typed: isFinal('typed'), copies: isFinal('copies'), 'other copies': isFinal('other copies') };
  };
  return {
    perform,
    keyOf,
    finalExams,
    viewOf,
    release,
    nextReleased,
    name: (kind) => `${kind} ${(names += 1)}`,
  };
};

const viewIn = (submission: Submission, keyOf: (id: string) => string): View => ({
  key: keyOf(submission.id),
  state: submission.state,
  replacedBy: submission.replaced_by === undefined ? null : keyOf(submission.replaced_by),
  status: submission.status,
  attempts: submission.attempt_count,
  charged: submission.credits_charged,
  error: submission.error?.code ?? null,
  isInQueue: submission.queue !== null,
  progress:
    submission.progress === null
      ? null
      : { done: submission.progress.questions_done, total: submission.progress.questions_total },
  hasEstimate: submission.progress?.estimated_ready_at !== undefined,
  needsReview: submission.needs_review,
  finalized: submission.finalized,
  hasVersion: submission.rubric_version !== null,
  pages: submission.pages,
  quoted: submission.quote.credits,
});
