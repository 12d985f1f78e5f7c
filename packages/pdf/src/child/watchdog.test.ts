import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const entry = fileURLToPath(new URL('main.ts', import.meta.url));

const end = async (parentPid: number, maxResidentBytes: number): Promise<unknown[]> => {
  const child = fork(entry, ['read', String(parentPid), String(maxResidentBytes)], {
    execArgv: [],
    env: {},
  });
  try {
    return await once(child, 'exit', { signal: AbortSignal.timeout(50_000) });
  } finally {
    child.kill('SIGKILL');
  }
};

test('the watchdog ends a child above its memory limit', async () => {
  expect(await end(process.pid, 2 ** 20)).toEqual([null, 'SIGKILL']);
});

test('the watchdog ends a child whose parent has changed', async () => {
  expect(await end(1, 2 ** 32)).toEqual([null, 'SIGKILL']);
});
