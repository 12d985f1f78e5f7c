import { deepStrictEqual } from 'node:assert';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generators, type Generator } from './generators.ts';
import { LIFE, type Given } from './life.ts';
import { runProgram } from './runProgram.ts';
import { startForClients } from './service.ts';

/**
 * `npm run clients [-- NAME...]`: makes clients with generators of other languages from the document of a running
 * service, and takes each through the life of an exam (life.ts). Generators whose languages this machine lacks are
 * skipped by name. Exits with 1 if a client differs from the life. Clients in TypeScript are tests
 * (tests/rest/conventions).
 */
const names = process.argv.slice(2);
const unknown = names.filter((name) => !generators.some((generator) => generator.name === name));
if (unknown.length > 0)
  throw new Error(`Unknown: ${unknown.join(', ')}. Known: ${generators.map(({ name }) => name).join(', ')}.`);

const isHere = async (program: string): Promise<boolean> =>
  runProgram('sh', ['-c', 'command -v "$1"', 'sh', program], tmpdir()).then(
    () => true,
    () => false,
  );

const tryGenerator = async (
  { name, needs, live }: Generator,
  folder: string,
  newLife: () => Promise<Given>,
): Promise<string> => {
  const here = await Promise.all(needs.map(isHere));
  const missing = needs.filter((_, index) => here[index] !== true);
  if (missing.length > 0) return `skipped, this machine lacks ${missing.join(', ')}`;
  const began = performance.now();
  const own = join(folder, name);
  await mkdir(own);
  try {
    const printed = await live(own, await newLife());
    deepStrictEqual(JSON.parse(printed), LIFE);
    return `a whole life, in ${Math.round((performance.now() - began) / 1000)} s`;
  } catch (failure) {
    console.error(failure);
    process.exitCode = 1;
    return 'FAILED';
  } finally {
    await rm(own, { recursive: true, force: true });
  }
};

const folder = await mkdtemp(join(tmpdir(), 'clients-'));
try {
  const service = await startForClients(folder);
  const outcomes: Record<string, string> = {};
  try {
    for (const generator of generators) {
      if (names.length > 0 && !names.includes(generator.name)) continue;
      console.log(`${generator.name}: begins`);
      outcomes[generator.name] = await tryGenerator(generator, folder, service.newLife);
      console.log(`${generator.name}: ${outcomes[generator.name]}`);
    }
  } finally {
    await service.close();
  }
  console.table(outcomes);
} finally {
  await rm(folder, { recursive: true, force: true });
}
