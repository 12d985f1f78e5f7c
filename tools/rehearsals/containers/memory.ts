import { setTimeout as wait } from 'node:timers/promises';
import type { Engine } from './engine.ts';

const PAUSE_MS = 500;
const UNITS: Record<string, number> = { B: 1e-6, KiB: 1024e-6, MiB: 1.048576, GiB: 1073.741824 };

interface MemoryWatch {
  /** Highest memory seen of each container, in MB. */
  highest: Map<string, number>;
  stop(): Promise<void>;
}

/** Reads what the engine counts, without the page cache. */
export const watchMemory = (engine: Engine, prefix: string): MemoryWatch => {
  const highest = new Map<string, number>();
  let isStopped = false;
  const loop = async (): Promise<void> => {
    while (!isStopped) {
      // A container may be stopping meanwhile.
      const text = await engine
        .docker(['stats', '--no-stream', '--format', '{{.Name}} {{.MemUsage}}'])
        .catch(() => '');
      for (const line of text.split('\n')) {
        const [, name = '', number, unit = ''] = /^(\S+) ([\d.]+)([KMG]?i?B) /.exec(line) ?? [];
        if (!name.startsWith(`${prefix}-`)) continue;
        const part = name.slice(prefix.length + 1);
        highest.set(part, Math.max(highest.get(part) ?? 0, Number(number) * (UNITS[unit] ?? 1)));
      }
      await wait(PAUSE_MS);
    }
  };
  const ended = loop();
  return {
    highest,
    stop: async () => {
      isStopped = true;
      await ended;
    },
  };
};
