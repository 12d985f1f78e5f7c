import { wrap, type Remote } from 'comlink';
import type { StackWorker } from './stack.worker.ts';

export interface OpenStackWorker {
  calls: Remote<StackWorker>;
  end: () => void;
}

export const openStackWorker = (): OpenStackWorker => {
  const worker = new Worker(new URL('stack.worker.ts', import.meta.url), { type: 'module' });
  return { calls: wrap<StackWorker>(worker), end: () => worker.terminate() };
};
