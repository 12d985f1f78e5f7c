import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { coreOverHttp } from '@evaluation/core-client';
import { startServers } from '../chaos/site/servers.ts';
import { apiClient, createExam } from '../../tests/harness/api.ts';
import { startBalancer } from '../../tests/harness/balancer.ts';
import { longAnswer, typedExam } from '../../tests/harness/papers.ts';
import { killPrograms, sourceOf, startProgram, type Program } from '../../tests/harness/processes.ts';
import { startSteadyLoad } from '../../tests/harness/steadyLoad.ts';
import { unfinishedWork, violationsIn } from '../../tests/model/submissions/invariants.ts';
import { checkOut } from './release.ts';

/*
 * An upgrade under load, in the order of docs/compatibility.md: migrate while the older release serves, then replace
 * core, worker and facade one by one, each new process ready before the old one stops. Clients repeat nothing.
 */

const HERE = fileURLToPath(new URL('../../', import.meta.url));
/** Time under load before the upgrade, and with both releases between two replacements. */
const SIDE_BY_SIDE_MS = 3_000;
const SETTLE_MS = 120_000;
const SECRETS = {
  CORE_PUBLIC_TOKEN: 'p'.repeat(32),
  CORE_GRADING_TOKEN: 'g'.repeat(32),
  CORE_CONTROL_TOKEN: 'c'.repeat(32),
  ACTOR_SIGNING_KEY: 's'.repeat(32),
};

type App = 'core' | 'worker' | 'facade';

/** @returns what went wrong */
export const rehearseUpgrade = async (from: string, say: (line: string) => void): Promise<string[]> => {
  const servers = await startServers(false);
  const undo: (() => unknown)[] = [() => servers.close()];
  try {
    const old = checkOut(from, servers.folder);
    undo.push(old.remove);
    const balancers = { core: await startBalancer(), facade: await startBalancer() };
    undo.push(balancers.core.close, balancers.facade.close, () => killPrograms());
    const migrate = (root: string): void => {
      execFileSync(process.execPath, [join(root, 'apps/cli/src/migrate/main.ts')], {
        env: { ...process.env, DATABASE_URL: servers.databaseUrl },
        stdio: 'pipe',
      });
    };
    const start = async (app: App, root: string): Promise<Program> => {
      const environment = {
        ...servers.environment,
        ...SECRETS,
        NATS_URL: servers.natsUrlOf(app),
        PORT: '0',
        CORE_PORT: '0',
        CORE_URL: balancers.core.url,
        MODEL_PREFLIGHT: 'off',
        LOG_LEVEL: 'error',
        DRAIN_SECONDS: '60',
        LEASE_SECONDS: '60',
        RATE_LIMITS_STANDARD:
          'key:reads:minute=1000000,institute:reads:second=1000000,key:writes:minute=1000000',
      };
      const program = await startProgram(app, environment, () => {}, sourceOf(app, root));
      if (app !== 'worker') balancers[app].add(program.name);
      return program;
    };

    migrate(old.root);
    const core = await start('core', old.root);
    const programs = {
      core,
      worker: await start('worker', old.root),
      facade: await start('facade', old.root),
    };
    say(`${from} serves`);
    const { instituteId, apiKey } = await provision(balancers.core.url);
    const api = apiClient(`${balancers.facade.url}/v1`, apiKey);
    const exam = await createExam(api, typedExam([longAnswer('1')]));
    const load = startSteadyLoad(api, exam.id);
    await wait(SIDE_BY_SIDE_MS);
    migrate(HERE);
    say('migrated');
    const wrong: string[] = [];
    for (const app of ['core', 'worker', 'facade'] as const) {
      await wait(SIDE_BY_SIDE_MS);
      const replaced = programs[app];
      programs[app] = await start(app, HERE);
      if (app !== 'worker') balancers[app].remove(replaced.name);
      replaced.signal('SIGTERM');
      const code = await replaced.exited;
      if (code !== 0) wrong.push(`the old ${app} ended with ${code}: ${replaced.output()}`);
      say(`${app} replaced`);
    }
    await wait(SIDE_BY_SIDE_MS);
    await load.stop();
    const deadline = performance.now() + SETTLE_MS;
    const unfinished = () => unfinishedWork(servers.observer, instituteId);
    while (performance.now() < deadline && (await unfinished()).length > 0) await wait(250);
    say(`${load.submitted.length} submissions and ${load.reads} reads`);
    const [graded] = await servers.observer.query<{ count: number }>(
      `select count(*)::int as count from submissions where status = 'graded' and attempt_count = 1`,
    );
    if (graded?.count !== load.submitted.length)
      wrong.push(`${graded?.count} of ${load.submitted.length} submissions are graded`);
    return [
      ...wrong,
      ...load.failed.map((failure) => `a request failed: ${failure}`),
      ...(await unfinished()),
      ...(await violationsIn(servers.observer, instituteId)),
    ];
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const provision = async (coreUrl: string): Promise<{ instituteId: string; apiKey: string }> => {
  const core = coreOverHttp({ url: coreUrl, token: SECRETS.CORE_CONTROL_TOKEN });
  try {
    const { control } = core.as({});
    const { institute_id } = await control.createInstitute.mutate({ name: 'Rehearsal', credits: 100_000 });
    const { api_key } = await control.createKey.mutate({ institute_id });
    return { instituteId: institute_id, apiKey: api_key };
  } finally {
    await core.close();
  }
};
