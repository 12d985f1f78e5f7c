import { coreOverHttp } from '@evaluation/core-client';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiClient, createExam, type ApiClient } from '../harness/api.ts';
import { startBalancer, type Balancer } from '../harness/balancer.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { killPrograms, startProgram, type Program } from '../harness/processes.ts';
import { newEnvironment } from '../harness/service.ts';
import { startSteadyLoad } from '../harness/steadyLoad.ts';
import { expectEachGradedOnce } from './expectations.ts';

/*
 * Core, worker and facade as processes, each replaced while clients submit and read without a pause: a rolling restart
 * under load loses no request and no job. As on a cluster, the new process is ready before the old one gets no more
 * connections, and only then the old one gets SIGTERM (endpoints and preStop). There is one of each, so that no other
 * replica hides a loss.
 */

let model: ModelServer;
let environment: Record<string, string>;
let balancers: Record<'core' | 'facade', Balancer>;
let programs: Record<Replicated, Program>;
let api: ApiClient;
let exam: Exam;
let behind: BehindTheApi;
const undo: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  model = await startModelServer();
  undo.push(() => model.close());
  const core = await startBalancer();
  const facade = await startBalancer();
  balancers = { core, facade };
  undo.push(core.close, facade.close);
  const made = await newEnvironment({
    CORE_PORT: '0',
    DESK_PORT: '0',
    CORE_URL: core.url,
    CORE_PUBLIC_TOKEN: 'p'.repeat(32),
    CORE_GRADING_TOKEN: 'g'.repeat(32),
    CORE_CONTROL_TOKEN: 'c'.repeat(32),
    ACTOR_SIGNING_KEY: 's'.repeat(32),
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    // Long enough to finish runs: a stopped worker hands none of them back.
    DRAIN_SECONDS: '60',
    // Long enough that no lease expires on a busy machine.
    LEASE_SECONDS: '120',
  });
  undo.push(made.drop);
  environment = made.environment;
  behind = lookBehind(made.database);
  undo.push(() => behind.close());
  const first = await start('core');
  programs = { core: first, facade: await start('facade'), worker: await start('worker') };

  const control = coreOverHttp({ url: core.url, token: 'c'.repeat(32) });
  const { control: provision } = control.as({});
  const { institute_id } = await provision.createInstitute.mutate({
    name: 'Rolling School',
    credits: 10_000,
  });
  const { api_key } = await provision.createKey.mutate({ institute_id });
  await control.close();
  api = apiClient(`${facade.url}/v1`, api_key);
  exam = await createExam(api, typedExam([longAnswer('1')]));
});
afterAll(async () => {
  await killPrograms();
  for (const step of undo.toReversed()) await step();
});

type Replicated = 'core' | 'facade' | 'worker';

const start = async (app: Replicated): Promise<Program> => {
  const program = await startProgram(app, environment);
  if (app !== 'worker') balancers[app].add(program.name);
  return program;
};

const replace = async (app: Replicated): Promise<void> => {
  const old = programs[app];
  programs[app] = await start(app);
  if (app !== 'worker') balancers[app].remove(old.name);
  old.signal('SIGTERM');
  expect(await old.exited, `${app} ended by itself:\n${old.output()}`).toBe(0);
};

test('a core, a worker and a facade are replaced under load: no request fails, every submission is graded and charged once', async () => {
  model.behave([{ behaviour: { kind: 'slow', ms: 150 } }]);
  const load = startSteadyLoad(api, exam.id);
  for (const app of ['core', 'worker', 'facade'] as const) {
    const before = { reads: load.reads, submitted: load.submitted.length };
    await replace(app);
    expect(load.reads, `read while ${app} was replaced`).toBeGreaterThan(before.reads);
    expect(load.submitted.length, `submitted while ${app} was replaced`).toBeGreaterThan(before.submitted);
  }
  await load.stop();
  expect(load.failed).toEqual([]);
  const count = load.submitted.length;
  await eventually('all runs are over', async () => {
    const [waiting] = await behind.query<{ runs: number }>(
      `select count(*)::int as runs from runs where status in ('queued', 'released', 'claimed')`,
    );
    return waiting?.runs === 0;
  });
  await expectEachGradedOnce(behind, exam.id, count);
  // No lease expired and nothing was delivered twice: each run ended at the worker that began it.
  expect(
    await behind.query(
      'select fence, delivery, dead_leases, count(*)::int as runs from runs group by 1, 2, 3',
    ),
  ).toEqual([{ fence: 1, delivery: 1, dead_leases: 0, runs: count }]);
  // No duplicates: one submission per accepted request, and one model call each.
  const rows = await behind.query<{ count: number }>('select count(*)::int as count from submissions');
  expect(rows).toEqual([{ count }]);
  expect(model.calls).toHaveLength(count);
});
