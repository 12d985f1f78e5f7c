import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { coreOverHttp } from '@evaluation/core-client';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { handwrittenExam, typedExam } from '../../tests/harness/papers.ts';
import { seededRandom } from '../../tests/harness/seededRandom.ts';
import { unfinishedWork, violationsIn } from '../../tests/model/submissions/invariants.ts';
import { newBook } from './clients/book.ts';
import { openDeskClient } from './clients/deskClient.ts';
import { examinerScenario } from './clients/examinerScenario.ts';
import { startFeedReader } from './clients/feedReader.ts';
import { guideScenario } from './clients/guideScenario.ts';
import { startLoad } from './clients/load.ts';
import { newTraffic, retryingClient, type RetryingClient } from './clients/retrying.ts';
import { newScenarioSteps } from './clients/scenarioSteps.ts';
import { causeFault, type Stage } from './faults.ts';
import { eachAcceptedRunEndsOnce } from './invariants/eachAcceptedRunEndsOnce.ts';
import { feedMissesNothing } from './invariants/feedMissesNothing.ts';
import { ledgerIsExact } from './invariants/ledgerIsExact.ts';
import { marksAreUndisturbed } from './invariants/marksAreUndisturbed.ts';
import { measureRecovery, slowest } from './invariants/recovery.ts';
import { removedStayRemoved } from './invariants/removedStayRemoved.ts';
import { setMoods } from './model/moods.ts';
import { COPY_PAPER, PAPER } from './model/truth.ts';
import { APPS, lineOf, planOf, type PlannedFault, type PlanOptions } from './plan/plan.ts';
import { minutesOf, watchMinutes } from './minutes.ts';
import { countKinds, spreadOf, type Report } from './report.ts';
import { startFleet, type Fleet } from './site/fleet.ts';
import { RUN_BUNDLES } from '../../tests/harness/bundles.ts';
import { programsFromBundles, programsFromSource } from './site/programs.ts';
import type { Observer } from './site/observer.ts';
import { startServers } from './site/servers.ts';

interface ChaosOptions extends PlanOptions {
  clients: number;
  leaseSeconds: number;
  /** Whether processes start from bundles, which are made first. */
  isBundled: boolean;
  say(line: string): void;
}

const MOST_WAITING_KILLS = 8;
/** Pause between two checks of the tables during the run. */
const LOOK_MS = 5_000;
/** Time for all accepted runs to end after the last fault. */
const SETTLE_MS = 180_000;

/**
 * Runs the service under the plan of the seed.
 * @returns numbers and violations; without violations the service kept its promises in this run
 */
export const runChaos = async (options: ChaosOptions): Promise<Report> => {
  const { seed, minutes, clients, leaseSeconds, sizes, say } = options;
  const plan = planOf(options);
  say(`seed ${seed}, ${minutes} minutes, ${clients} clients; planned faults:`);
  for (const planned of plan) say(lineOf(planned));
  const servers = await startServers();
  let fleet: Fleet | undefined;
  try {
    const moods = setMoods(servers.model);
    const programs = options.isBundled
      ? await programsFromBundles(RUN_BUNDLES ?? join(servers.folder, 'bundles'))
      : programsFromSource;
    fleet = await startFleet(servers, sizes, { LEASE_SECONDS: String(leaseSeconds) }, programs);
    // A process that ends in order writes Node's compile cache; a killed one does not.
    if (options.isBundled) for (const app of APPS) await fleet.replace(`${app}-1`);
    const { instituteId, apiKey, examiner } = await provision(fleet);
    const traffic = newTraffic();
    const book = newBook(instituteId);
    const client = retryingClient(fleet.facadeUrl, apiKey, traffic);
    const random = seededRandom(seed + 1);
    const exams = {
      typed: await openExam(client, typedExam(PAPER)),
      copies: await openExam(client, handwrittenExam({ questions: COPY_PAPER })),
    };
    let tokens = 0;
    const steps = newScenarioSteps(client, book, random, () => (tokens += 1));
    const guide = guideScenario({
      coreUrl: fleet.coreUrl,
      token: fleet.tokens.public,
      actorSigningKey: fleet.tokens.actorSigningKey,
    });
    const feed = startFeedReader(client);
    const others = { guide, examiner: examinerScenario(openDeskClient(fleet.deskUrl, examiner, traffic)) };
    const load = startLoad({ clients, steps, exams, others, random, book });
    let isOver = false;
    const stage: Stage = {
      servers,
      fleet,
      moods,
      recovery: measureRecovery(servers.observer),
      keepsOne: options.faults === 'kills',
      isOver: () => isOver,
    };
    const looking = lookDuring(() => violationsIn(servers.observer, instituteId));
    const killsByApp = fleet.kills;
    const minuteByMinute = watchMinutes(async () => ({
      kills: sumOf(killsByApp),
      requests: traffic.requests,
      accepted: book.accepted.length,
      completed: (await countRuns(servers.observer)).completed,
    }));
    setTimeout(() => {
      isOver = true;
    }, minutes * 60_000);
    const failed = await play(stage, plan, minutes * 60_000, say);
    say('faults are over; waiting for the clients');
    await load.finish();
    await settle(() => unfinishedWork(servers.observer, instituteId));
    const violations = [
      ...failed,
      ...(await looking.finish()),
      ...fleet.unexpected,
      ...book.wrong,
      ...traffic.gaveUp,
    ];
    await feed.finish();
    violations.push(...[...feed.failures].map((failure) => `feed: ${failure}`));
    const core = { url: fleet.coreUrl, token: fleet.tokens.control };
    const marks = await marksAreUndisturbed(client, book, Object.values(exams));
    violations.push(
      ...(await unfinishedWork(servers.observer, instituteId)).map((what) => `unfinished: ${what}`),
      ...(await eachAcceptedRunEndsOnce(servers.observer, book)),
      ...(await ledgerIsExact(servers.observer, core, instituteId)),
      ...(await removedStayRemoved(servers.observer, book)),
      ...marks.violations,
      ...(await feedMissesNothing(servers.observer, feed, instituteId)),
    );
    const runs = await countRuns(servers.observer);
    const faults = countKinds(plan);
    const recoveries = await stage.recovery.measured();
    for (const { history } of slowest(recoveries)) say(`slow recovery: ${history}`);
    return {
      seed,
      minutes,
      faults,
      kills: sumOf(fleet.kills) + (faults['kill_postgres'] ?? 0) + (faults['empty_nats'] ?? 0),
      killsByApp: fleet.kills,
      processesStarted: fleet.started(),
      scenarios: Object.fromEntries(book.finishedScenarios),
      accepted: book.accepted.length,
      completed: runs.completed,
      endedByDeaths: runs.deaths,
      marksCompared: marks.compared,
      feedPasses: feed.passes(),
      requests: traffic.requests,
      repeats: Object.fromEntries(traffic.repeats),
      recovery: spreadOf(recoveries.map(({ ms }) => ms)),
      outage: spreadOf(traffic.repeatedMs),
      log: minutesOf(await minuteByMinute.finish(), recoveries),
      violations,
    };
  } finally {
    await fleet?.close();
    await servers.close();
  }
};

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const countRuns = async (observer: Observer): Promise<{ completed: number; deaths: number }> => {
  const [counts] = await observer.query<{ completed: number; deaths: number }>(
    `select (count(*) filter (where status = 'completed'))::int as completed,
       (count(*) filter (where status = 'failed' and dead_leases >= 3))::int as deaths from runs`,
  );
  return counts ?? { completed: 0, deaths: 0 };
};

interface Provisioned {
  instituteId: string;
  apiKey: string;
  examiner: { email: string; password: string };
}

const provision = async (fleet: Fleet): Promise<Provisioned> => {
  const core = coreOverHttp({ url: fleet.coreUrl, token: fleet.tokens.control });
  try {
    const { control } = core.as({});
    const { institute_id } = await control.createInstitute.mutate({
      name: 'Chaos',
      credits: 10_000_000,
      daily_copy_quota: 1_000_000,
    });
    const { api_key } = await control.createKey.mutate({
      institute_id,
      scopes: ['evaluation:read', 'evaluation:write', 'evaluation:review', 'evaluation:finalize'],
    });
    const examiner = { email: 'examiner@chaos.example', password: randomBytes(16).toString('hex') };
    await control.staff.invite.mutate({ institute_id, name: 'Examiner', role: 'examiner', ...examiner });
    return { instituteId: institute_id, apiKey: api_key, examiner };
  } finally {
    await core.close();
  }
};

const openExam = async (client: RetryingClient, exam: object): Promise<string> => {
  const { status, body } = await client.post<Exam>('/exams', { ...exam, open: true });
  if (status !== 201) throw new Error(`POST /exams was refused: ${JSON.stringify(body)}`);
  return body.id;
};

/** Causes each fault at its time and waits until all are over. @returns faults that could not be made */
const play = async (
  stage: Stage,
  plan: readonly PlannedFault[],
  lengthMs: number,
  say: (line: string) => void,
): Promise<string[]> => {
  const began = performance.now();
  const failed: string[] = [];
  const underWay = new Set<Promise<void>>();
  for (const planned of plan) {
    await wait(Math.max(0, planned.at - (performance.now() - began)));
    // Kills that wait delay the next ones: there are as many as the machine can start processes.
    if (stage.keepsOne && underWay.size >= MOST_WAITING_KILLS) await Promise.race(underWay);
    if (stage.isOver()) break;
    say(`fault: ${lineOf(planned)}`);
    const caused = causeFault(stage, planned.fault)
      .catch((error: unknown) => {
        failed.push(`the fault ${lineOf(planned)} was not made: ${String(error)}`);
      })
      .finally(() => underWay.delete(caused));
    underWay.add(caused);
  }
  await wait(Math.max(0, lengthMs - (performance.now() - began)));
  await Promise.all(underWay);
  return failed;
};

const lookDuring = (look: () => Promise<string[]>): { finish(): Promise<string[]> } => {
  const seen = new Set<string>();
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      for (const violation of await look()) seen.add(violation);
      await wait(LOOK_MS, undefined, { signal: over.signal }).catch(() => {});
    }
    for (const violation of await look()) seen.add(violation);
  })();
  looking.catch(() => {});
  return {
    finish: async () => {
      over.abort();
      await looking;
      return [...seen];
    },
  };
};

const settle = async (unfinished: () => Promise<string[]>): Promise<void> => {
  const deadline = performance.now() + SETTLE_MS;
  while (performance.now() < deadline && (await unfinished()).length > 0) await wait(250);
};
