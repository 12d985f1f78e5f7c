import { performance } from 'node:perf_hooks';
import type { Engine } from './engine.ts';
import type { Graded, Grading } from './grading.ts';
import { APPS, type Part, type Site } from './site.ts';

const PARTS: readonly Part[] = [...APPS, 'postgres', 'nats', 's3'];
/** Longer than LINGER_SECONDS and DRAIN_SECONDS, as in the chart. */
const GRACE_SECONDS = '60';

/**
 * Stops, and then kills, each container while a copy is read, and starts it again.
 * @returns what went wrong
 */
export const interruptEach = async (
  engine: Engine,
  site: Site,
  grading: Grading,
  expected: Graded,
  say: (line: string) => void,
): Promise<string[]> => {
  const wrong: string[] = [];
  for (const part of PARTS)
    for (const way of ['stop', 'kill'] as const) {
      const name = site.nameOf(part);
      const id = await grading.submitCopy((status) => status !== 'queued');
      const began = performance.now();
      await engine.docker(way === 'stop' ? ['stop', '--time', GRACE_SECONDS, name] : ['kill', name]);
      const stopped = performance.now();
      const code = await engine.docker(['inspect', '--format', '{{.State.ExitCode}}', name]);
      await engine.docker(['start', name]);
      await site.untilReady(part);
      const ready = performance.now();
      const outcome = await grading.outcome(id);
      const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(1)} s`;
      say(
        `${way} ${part}: ended with ${code} after ${seconds(began, stopped)}, ready again in ` +
          `${seconds(stopped, ready)}, ${outcome.status} after ${seconds(began, performance.now())}`,
      );
      if (way === 'stop' && code !== '0') wrong.push(`${part} ended with ${code} when it was stopped`);
      if (JSON.stringify(outcome) !== JSON.stringify(expected))
        wrong.push(`${way} ${part}: ${JSON.stringify(outcome)}, and undisturbed ${JSON.stringify(expected)}`);
    }
  return wrong;
};
