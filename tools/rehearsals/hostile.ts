import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { coreOverHttp, type CoreClient } from '@evaluation/core-client';
import { apiClient, createExam, submit } from '../../tests/harness/api.ts';
import { startLatencyProbe } from '../../tests/harness/latencyProbe.ts';
import { mcq, typedExam } from '../../tests/harness/papers.ts';
import { killPrograms, startProgram, type Program } from '../../tests/harness/processes.ts';
import { newSession } from '../../tests/desk/soak/examiner.ts';
import { startServers } from '../benchmarks/measuring/servers.ts';

/*
 * Hostile people of two institutes against the desk, with the memory that the chart gives its processes: bodies of
 * millions of values, exports, floods of made-up sessions, of calls, of sign-ins and of event streams, all at once.
 * Meanwhile a client of a third institute reads its account. No process may end or take more memory than its limit, and
 * the third institute waits less than a second at p99 (docs/threat-model.md).
 */

/** MiB of the chart's limits, and the share of them that its pods give to JavaScript's heap. */
const LIMITS = { core: 1024, facade: 768, desk: 768 };
const HEAP = 0.7;
const APPS = ['core', 'facade', 'desk'] as const;
type App = (typeof APPS)[number];
const LONGEST_MS = 1000;

const JSON_TYPE = { 'content-type': 'application/json' };
const OWN = { ...JSON_TYPE, 'x-evaluation-desk': '1' };

type Attack = (desk: string, cookie: string, exam: string) => Promise<unknown>;

const call = (desk: string, path: string, cookie: string, body?: string) =>
  fetch(`${desk}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...OWN, cookie },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { body }),
  }).then(async (response) => {
    await response.arrayBuffer();
    return response.status;
  });

const TINY = `{"query":{},"x":[${'{},'.repeat(5_300_000)}{}]}`;
const WIDE = `{"query":{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":0`).join(',')}}}`;
const DEEP = `{"query":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`;

const several = (count: number, one: () => Promise<unknown>) =>
  Promise.allSettled(Array.from({ length: count }, one));

const ATTACKS: Readonly<Record<string, Attack>> = {
  'millions of values': (desk, cookie) => several(2, () => call(desk, '/trpc/exams.list', cookie, TINY)),
  'a million keys': (desk, cookie) => several(2, () => call(desk, '/trpc/exams.list', cookie, WIDE)),
  'deep nesting': (desk, cookie) => several(2, () => call(desk, '/trpc/exams.list', cookie, DEEP)),
  exports: (desk, cookie, exam) =>
    several(8, () => call(desk, `/downloads/exams/${exam}/results.xlsx`, cookie)),
  'made-up sessions': (desk) => several(50, () => call(desk, '/session', `desk=${randomUUID()}`)),
  'made-up links': (desk) =>
    several(20, () => call(desk, '/session/link/shown', '', JSON.stringify({ token: randomUUID() }))),
  'sign-ins': (desk) =>
    several(4, () =>
      call(
        desk,
        '/session',
        '',
        JSON.stringify({ email: `${randomUUID()}@example.org`, password: 'x'.repeat(20) }),
      ),
    ),
  calls: (desk, cookie, exam) =>
    several(30, () =>
      call(desk, '/trpc/desk.exams.markBook', cookie, JSON.stringify({ exam_id: exam, limit: 500 })),
    ),
  'event streams': (desk, cookie) =>
    several(50, () =>
      fetch(`${desk}/events`, { headers: { cookie }, signal: AbortSignal.timeout(5000) }).then((response) =>
        response.text(),
      ),
    ),
};

/** @returns what went wrong */
export const rehearseHostile = async (minutes: number, say: (line: string) => void): Promise<string[]> => {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const { programs, desk, core, third } = await startSite(undo);
    const sessions = [
      await newInstitute(core, desk, third.facade),
      await newInstitute(core, desk, third.facade),
    ];
    say(`attacking for ${minutes} minutes`);
    const probe = startLatencyProbe({
      url: `${third.facade}/me`,
      headers: { 'x-api-key': third.apiKey },
      everyMs: 100,
    });
    await probe.running;
    const peaks = new Map<App, number>();
    const done = new Map<string, number>();
    const until = performance.now() + minutes * 60_000;
    const attackers = sessions.flatMap(({ cookie, exam }) =>
      Object.entries(ATTACKS).map(async ([name, attack]) => {
        while (performance.now() < until) {
          await attack(desk, cookie, exam);
          done.set(name, (done.get(name) ?? 0) + 1);
          await wait(50);
        }
      }),
    );
    const watching = (async () => {
      while (performance.now() < until) {
        for (const name of APPS)
          peaks.set(name, Math.max(peaks.get(name) ?? 0, await residentMiB(programs[name].pid)));
        await wait(500);
      }
    })();
    await Promise.all([...attackers, watching]);
    const { latencies, answers } = await probe.stop();
    const at = (share: number): number =>
      Math.round(latencies[Math.floor((latencies.length - 1) * share)] ?? 0);
    for (const [name, rounds] of done) say(`${name}: ${rounds} rounds`);
    say(
      `GET /me of another institute: ${latencies.length} calls, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`,
    );
    for (const [name, mib] of peaks) say(`${name}: at most ${Math.round(mib)} MiB of ${LIMITS[name]}`);
    const wrong: string[] = [];
    if (at(0.99) > LONGEST_MS) wrong.push(`GET /me took ${at(0.99)} ms at p99`);
    if (answers.some((answer) => answer !== '200')) wrong.push(`GET /me answered ${answers.join(', ')}`);
    for (const name of APPS) {
      if ((await residentMiB(programs[name].pid)) === 0) wrong.push(`${name} has ended`);
      const limit = LIMITS[name];
      if ((peaks.get(name) ?? 0) > limit) wrong.push(`${name} took more than its ${limit} MiB`);
    }
    return wrong;
  } finally {
    await killPrograms();
    for (const stop of undo.toReversed()) await stop();
  }
};

/** Resident memory of a process; 0 if it has ended. */
const residentMiB = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
};

const secret = (): string => randomBytes(16).toString('hex');

const startSite = async (undo: (() => Promise<unknown>)[]) => {
  const servers = await startServers();
  undo.push(() => servers.close());
  const { natsUrl, s3 } = servers;
  const { url } = await servers.newDatabase('service');
  const environment = {
    LOG_LEVEL: 'warn',
    CORE_PUBLIC_TOKEN: secret(),
    CORE_GRADING_TOKEN: secret(),
    CORE_CONTROL_TOKEN: secret(),
    ACTOR_SIGNING_KEY: secret(),
    DATABASE_URL: url,
    NATS_URL: natsUrl,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    CORE_PORT: '0',
    PORT: '0',
    DESK_PORT: '0',
    // Of keys: the attacks come through the desk.
    RATE_LIMITS_STANDARD: 'key:reads:minute=1000000,institute:reads:second=1000000,key:writes:minute=1000000',
  };
  const start = (app: App, more: Record<string, string> = {}): Promise<Program> =>
    startProgram(app, {
      ...environment,
      ...more,
      NODE_OPTIONS: `--max-old-space-size=${Math.round(LIMITS[app] * HEAP)}`,
    });
  const core = await start('core');
  const reached = { CORE_URL: core.name };
  const programs: Record<App, Program> = {
    core,
    facade: await start('facade', reached),
    desk: await start('desk', reached),
  };
  const access = coreOverHttp({ url: core.name, token: environment.CORE_CONTROL_TOKEN });
  undo.push(() => access.close());
  const { control } = access.as({});
  const { institute_id } = await control.createInstitute.mutate({ name: 'Third', credits: 10 });
  const { api_key: apiKey } = await control.createKey.mutate({ institute_id });
  return {
    programs,
    desk: programs.desk.name,
    core: control,
    third: { facade: programs.facade.name, apiKey },
  };
};

/** An institute with an exam of 100 candidates and 40 questions, and the session of an examiner. */
const newInstitute = async (control: CoreClient['control'], desk: string, facade: string) => {
  const { institute_id } = await control.createInstitute.mutate({ name: 'Hostile', credits: 100_000 });
  const { api_key } = await control.createKey.mutate({ institute_id });
  const api = apiClient(facade, api_key);
  const labels = Array.from({ length: 40 }, (_, index) => String(index + 1));
  const exam = await createExam(api, typedExam(labels.map((label) => mcq(label))));
  for (let candidate = 0; candidate < 100; candidate += 1) {
    await submit(api, exam.id, {
      candidate: { external_id: `c${candidate}` },
      answers: labels.map((label) => ({ question_label: label, option_labels: ['A'] })),
    });
  }
  const account = { email: `${randomUUID()}@example.org`, password: secret() };
  await control.staff.invite.mutate({ institute_id, name: 'Hostile', role: 'examiner', ...account });
  return { exam: exam.id, cookie: await newSession(desk, account) };
};
