import { createServer, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { coreOverHttp, isUnreachable } from './index.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A core that cuts off the first `cut` calls and answers the others. */
const coreThatCuts = async (cut: number) => {
  let calls = 0;
  server = createServer((request, response) => {
    calls += 1;
    if (calls <= cut) request.socket.destroy();
    else response.setHeader('content-type', 'application/json').end('{"result":{"data":null}}');
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const access = coreOverHttp({ url: `http://127.0.0.1:${address.port}`, token: 't'.repeat(16) });
  return { core: access.as({}), calls: () => calls };
};

const query = { submission_id: '0'.repeat(8) };

test('a read whose connection ends before the answer is repeated once', async () => {
  const { core, calls } = await coreThatCuts(1);
  await core.public.submissions.get.query(query);
  expect(calls()).toBe(2);
});

test('a read that is cut off twice is unreachable', async () => {
  const { core, calls } = await coreThatCuts(2);
  await expect(core.public.submissions.get.query(query)).rejects.toSatisfy(isUnreachable);
  expect(calls()).toBe(2);
});

test('a command is not repeated, since it may have taken effect', async () => {
  const { core, calls } = await coreThatCuts(1);
  await expect(core.public.submissions.cancel.mutate(query)).rejects.toSatisfy(isUnreachable);
  expect(calls()).toBe(1);
});
