/**
 * `npm run rehearse:containers [-- --published] [--engine FOLDER] [--compose PATH]`: builds the images of the
 * Dockerfile, runs them as the chart does, stops and kills each container while a copy is graded, and takes
 * docker-compose.yaml through its life (docs/proofs.md#containers). Uses the Docker engine that answers, or starts
 * `dockerd` for this run, as root. `--engine` keeps the images of an engine of this run in FOLDER. `--published` pulls
 * the images of other projects instead of making stand-ins from packages.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { onStopSignals } from '@evaluation/platform/telemetry/stopSignals';
import { findEngine } from './engine.ts';
import { rehearseContainers } from './rehearsal.ts';
import { removeContainers } from './site.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    compose: { type: 'string' },
    published: { type: 'boolean', default: false },
  },
});
const began = performance.now();
const say = (line: string): void =>
  console.log(`${String(Math.round((performance.now() - began) / 1000)).padStart(4)} s  ${line}`);
const prefix = `rehearsal-${process.pid}`;
// Not on a tmpfs: the build takes 3 GB.
const folder = values.engine ?? join('/var/tmp', `answer-evaluation-${prefix}`);
const engine = await findEngine(folder, values.engine !== undefined);
const end = async (): Promise<void> => {
  try {
    await removeContainers(engine, prefix);
  } finally {
    await engine.close();
  }
  process.exit(130);
};
const stop = (): void => void end();
onStopSignals({ stop, stopAtOnce: stop });
try {
  const wrong = await rehearseContainers(
    engine,
    { isPublished: values.published, prefix, compose: values.compose },
    say,
  );
  for (const line of wrong) console.log(`WRONG ${line}`);
  console.log(wrong.length === 0 ? 'the containers held' : `${wrong.length} faults`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  await engine.close();
}
