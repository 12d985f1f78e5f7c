import { performance } from 'node:perf_hooks';
import { apiClient } from '../../../tests/harness/api.ts';
import { makeBases, missingPrograms } from './bases.ts';
import { rehearseCompose } from './compose.ts';
import { looseEnds } from './confinement.ts';
import type { Engine } from './engine.ts';
import { hasCheckedCopy, startGrading } from './grading.ts';
import { buildImages } from './images.ts';
import { interruptEach } from './interruptions.ts';
import { watchMemory } from './memory.ts';
import { provision } from './provision.ts';
import { APPS, startSite } from './site.ts';

const VERSION = 'rehearsal';
const HOW_TO_BUILD_COMPOSE = [
  'compose is skipped: there is no Docker Compose. Its Go module has it; in an empty folder:',
  '  go mod init compose && go get github.com/docker/compose/v2/cmd@v2.40.3',
  '  CGO_ENABLED=0 go build -o docker-compose github.com/docker/compose/v2/cmd   # then --compose PATH',
].join('\n');

/** @returns what went wrong */
export const rehearseContainers = async (
  engine: Engine,
  { isPublished, prefix, compose }: { isPublished: boolean; prefix: string; compose: string | undefined },
  say: (line: string) => void,
): Promise<string[]> => {
  if (!isPublished) {
    const missing = await missingPrograms(engine);
    if (missing.length > 0)
      throw new Error(
        `stand-ins of published images need ${missing.join(', ')}: apt-get install debootstrap busybox-static; or use --published`,
      );
  }
  await makeBases(engine, isPublished, say);
  const wrong = await buildImages(engine, VERSION, say);
  wrong.push(...(await rehearseSite(engine, prefix, say)));
  const words = compose === undefined ? ['docker', 'compose'] : [compose];
  const hasCompose = await engine.run(words[0] ?? '', [...words.slice(1), 'version']).then(
    () => true,
    () => false,
  );
  if (!hasCompose) say(HOW_TO_BUILD_COMPOSE);
  else wrong.push(...(await rehearseCompose(engine, words, { version: VERSION, prefix }, say)));
  return wrong;
};

const rehearseSite = async (
  engine: Engine,
  prefix: string,
  say: (line: string) => void,
): Promise<string[]> => {
  const wrong: string[] = [];
  const site = await startSite(engine, VERSION, prefix);
  const memory = watchMemory(engine, prefix);
  try {
    for (const [part, milliseconds] of site.startMs)
      say(`${part} ready after ${(milliseconds / 1000).toFixed(1)} s`);
    for (const app of APPS) wrong.push(...(await looseEnds(engine, site.nameOf(app))));
    const { apiKey } = await provision(site.admin);
    const api = apiClient(`${site.urls.facade}/v1`, apiKey);
    const grading = await startGrading(api);
    const timed = async (what: string, submitOne: () => Promise<string>) => {
      const began = performance.now();
      const id = await submitOne();
      const outcome = await grading.outcome(id);
      say(`${what}: ${JSON.stringify(outcome)} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
      if (outcome.status !== 'graded') wrong.push(`${what} is ${outcome.status}`);
      return { id, outcome };
    };
    await timed('a typed answer', () => grading.submitTyped());
    const copy = await timed('a copy of six pages', () => grading.submitCopy());
    if (!(await hasCheckedCopy(api, copy.id))) wrong.push('the copy has no checked copy');
    wrong.push(...(await interruptEach(engine, site, grading, copy.outcome, say)));
    for (const [part, megabytes] of memory.highest) say(`${part}: at most ${Math.round(megabytes)} MB`);
    // The command ends with 1 if something does not add up.
    say(`reconcile: ${await site.admin(['reconcile'])}`);
    return wrong;
  } finally {
    await memory.stop();
    await site.close();
  }
};
