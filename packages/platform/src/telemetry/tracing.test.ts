import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { createLogger } from './logger.ts';
import { continueTrace, describeSpan, inSpan, startTracing, traceIds, traceparentNow } from './tracing.ts';

let close: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of close.splice(0)) await end();
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const THEIRS = `00-${TRACE}-b7ad6b7169203331-01`;

interface Sent {
  traceId: string;
  parentSpanId?: string;
  name: string;
  status: { code: number; message?: string };
  attributes: unknown;
}

/** A collector that stores the received spans. */
const collector = async (): Promise<{ endpoint: string; spans: Sent[] }> => {
  const spans: Sent[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // OTLP's JSON encoding, reduced to the fields that the test reads.
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as {
        resourceSpans: { scopeSpans: { spans: Sent[] }[] }[];
      };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close.push(async () => server.close());
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}/`, spans };
};

test('without an endpoint nothing is traced, propagated or logged', async () => {
  const tracing = await startTracing({ service: 'test', endpoint: undefined, sampleRatio: 1 });
  close.push(tracing.close);
  const seen = await inSpan('work', {}, async () => [traceparentNow(), traceIds()], {
    parent: continueTrace(THEIRS),
  });
  expect(seen).toEqual([undefined, {}]);
});

test('a trace continues from a traceparent through nested spans, and a failure is recorded by its class only', async () => {
  const { endpoint, spans } = await collector();
  const tracing = await startTracing({ service: 'test', endpoint, sampleRatio: 0 });
  let inner: string | undefined;
  await expect(
    inSpan(
      'outer',
      { lane: 'copy' },
      async () => {
        describeSpan({ outcome: 'failed' }, { name: 'renamed' });
        await inSpan('inner', {}, async () => {
          inner = traceparentNow();
          throw new TypeError('an answer that must stay private');
        });
      },
      { parent: continueTrace(THEIRS) },
    ),
  ).rejects.toThrow(TypeError);
  // With sampleRatio 0 this span is not exported, because no caller decided to sample it.
  await inSpan('unasked', {}, async () => {});
  await tracing.close();
  expect(inner).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  expect(spans.map(({ name, traceId }) => [name, traceId])).toEqual([
    ['inner', TRACE],
    ['renamed', TRACE],
  ]);
  expect(spans[0]?.status).toEqual({ code: 2, message: 'TypeError' });
  expect(spans[1]?.parentSpanId).toBe('b7ad6b7169203331');
  expect(JSON.stringify(spans)).not.toContain('must stay private');
});

test('an invalid traceparent begins a new trace', async () => {
  const { endpoint, spans } = await collector();
  const tracing = await startTracing({ service: 'test', endpoint, sampleRatio: 1 });
  for (const [index, bad] of [null, undefined, 'x', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`].entries())
    await inSpan(`work ${index}`, {}, async () => {}, { parent: continueTrace(bad) });
  await tracing.close();
  expect(spans.map(({ parentSpanId }) => parentSpanId ?? '')).toEqual(['', '', '', '']);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(4);
});

test('a log line inside a trace has its ids', async () => {
  const { endpoint, spans } = await collector();
  const tracing = await startTracing({ service: 'test', endpoint, sampleRatio: 1 });
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = createLogger({ service: 'test', level: 'info', stream });
  log.info('outside');
  await inSpan('work', {}, async () => log.info({ run_id: 'r' }, 'inside'));
  await tracing.close();
  const [outside, inside] = lines.map((line): unknown => JSON.parse(line));
  expect(outside).not.toHaveProperty('trace_id');
  expect(inside).toMatchObject({ run_id: 'r', trace_id: spans[0]?.traceId });
});

test('an unreachable collector does not keep a process from ending', async () => {
  const tracing = await startTracing({ service: 'test', endpoint: 'http://127.0.0.1:1', sampleRatio: 1 });
  await inSpan('work', {}, async () => {});
  const began = performance.now();
  await tracing.close();
  expect(performance.now() - began).toBeLessThan(4500);
});
