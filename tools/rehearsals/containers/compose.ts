import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { imageNames } from '@evaluation/bundle';
import { apiClient } from '../../../tests/harness/api.ts';
import { freePort } from '../../../tests/harness/processes.ts';
import { visitTheDesk } from './deskInBrowser.ts';
import type { Engine } from './engine.ts';
import { startGrading, type Graded } from './grading.ts';
import { imageOf } from './images.ts';
import { provision } from './provision.ts';

const HERE = fileURLToPath(new URL('../../../', import.meta.url));
const LATER = 'rehearsal-later';

/**
 * The life of docker-compose.yaml: up, the desk in a browser, stop and start, another version of each image, down.
 * @param compose words of the command, such as `docker compose`
 * @returns what went wrong
 */
export const rehearseCompose = async (
  engine: Engine,
  compose: readonly string[],
  { version, prefix }: { version: string; prefix: string },
  say: (line: string) => void,
): Promise<string[]> => {
  const wrong: string[] = [];
  const ports = {
    PORT: String(await freePort()),
    DESK_PORT: String(await freePort()),
    S3_PORT: String(await freePort()),
  };
  const project = `${prefix}-compose`;
  const [program = '', ...first] = compose;
  const call = (words: readonly string[], more: Record<string, string> = {}, input?: string) =>
    engine.run(program, [...first, '--project-name', project, ...words], {
      cwd: HERE,
      input,
      environment: { ...ports, VERSION: version, ...more },
    });
  const up = async (what: string, words: readonly string[], more: Record<string, string> = {}) => {
    const began = performance.now();
    await call(['up', ...words, '--wait'], more);
    say(`compose: ${what} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  };
  const admin = (words: readonly string[], input?: string): Promise<string> =>
    call(['exec', '-T', 'core', 'node', 'admin.js', ...words], {}, input);
  try {
    await up('healthy', []);
    const { apiKey, teacher } = await provision(admin);
    const api = apiClient(`http://127.0.0.1:${ports.PORT}/v1`, apiKey);
    const grading = await startGrading(api);
    const graded = await grading.submitCopy();
    const before = await grading.outcome(graded);
    if (before.status !== 'graded') wrong.push(`compose: the copy is ${before.status}`);
    wrong.push(...(await visitTheDesk(`http://127.0.0.1:${ports.DESK_PORT}`, teacher, api, graded)));
    say('compose: a copy is uploaded, shown and downloaded at the desk in a browser');
    await demo(`http://127.0.0.1:${ports.PORT}/v1`, apiKey);
    say('compose: the demo passes');

    await call(['stop']);
    await up('healthy again after a stop', []);
    const same = async (what: string, id: string, should: Graded): Promise<void> => {
      const is = await grading.outcome(id);
      if (JSON.stringify(is) !== JSON.stringify(should))
        wrong.push(`compose: ${what}: ${JSON.stringify(is)}, not ${JSON.stringify(should)}`);
    };
    await same('the copy after a stop', graded, before);

    for (const app of imageNames) await engine.docker(['tag', imageOf(app, version), imageOf(app, LATER)]);
    const open = await openSubmissions(grading);
    await up(`version ${LATER}, while submissions wait and are read`, [], { VERSION: LATER });
    await same('the graded copy after the upgrade', graded, before);
    for (const id of open) {
      const { status } = await grading.outcome(id);
      if (status !== 'graded') wrong.push(`compose: a submission is ${status} after the upgrade`);
    }
    say(`compose: ${open.length} open submissions are graded after the upgrade`);
    say(`compose: reconcile: ${await admin(['reconcile'])}`);
  } finally {
    await call(['down', '--volumes', '--timeout', '60']);
    for (const app of imageNames)
      await engine.docker(['rmi', '--no-prune', imageOf(app, LATER)]).catch(() => '');
  }
  const label = `label=com.docker.compose.project=${project}`;
  for (const kind of [
    ['ps', '--all'],
    ['volume', 'ls'],
    ['network', 'ls'],
  ]) {
    const left = await engine.docker([...kind, '--quiet', '--filter', label]);
    if (left !== '') wrong.push(`compose: down --volumes leaves ${kind[0]} ${left}`);
  }
  return wrong;
};

/** Copies that wait, a copy that is read, and typed answers. @returns their ids */
const openSubmissions = async (grading: Awaited<ReturnType<typeof startGrading>>): Promise<string[]> => {
  const reading = await grading.submitCopy((status) => status === 'reading');
  const others: string[] = [];
  for (let nth = 0; nth < 3; nth += 1) others.push(await grading.submitCopy());
  return [reading, ...others, await grading.submitTyped()];
};

const demo = async (url: string, key: string): Promise<void> => {
  const folder = `/var/tmp/rehearsal-${randomUUID()}`;
  await promisify(execFile)(process.execPath, ['apps/cli/src/main.ts', 'demo'], {
    cwd: HERE,
    env: { ...process.env, API_URL: url, API_KEY: key, DATA_DIR: folder },
  });
  await rm(folder, { recursive: true, force: true });
};
