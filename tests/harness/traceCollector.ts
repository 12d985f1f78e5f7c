import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenHere } from './listenHere.ts';

/** A span as OTLP over HTTP encodes it in JSON, with the fields that tests read. */
export interface CollectedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  startMs: number;
  endMs: number;
  failed: boolean;
  attributes: Record<string, string>;
}

export interface TraceCollector {
  endpoint: string;
  spans: readonly CollectedSpan[];
  received(): string;
  close(): Promise<void>;
}

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}
interface Request {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        status: { code?: number };
        attributes: Attribute[];
      }[];
    }[];
  }[];
}

const plain = (attributes: Attribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

const milliseconds = (nano: string): number => Number(BigInt(nano) / 1000n) / 1000;

export const startTraceCollector = async (): Promise<TraceCollector> => {
  const spans: CollectedSpan[] = [];
  let received = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received += body;
      for (const { resource, scopeSpans } of (JSON.parse(body) as Request).resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({
            service: plain(resource.attributes)['service.name'] ?? '',
            name: span.name,
            traceId: span.traceId,
            spanId: span.spanId,
            parentSpanId: span.parentSpanId ?? '',
            startMs: milliseconds(span.startTimeUnixNano),
            endMs: milliseconds(span.endTimeUnixNano),
            failed: span.status.code === 2,
            attributes: plain(span.attributes),
          });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await listenHere(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    received: () => received,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** A trace as text: spans indented below their parents, with their start after the first span and their duration. */
export const treeOf = (spans: readonly CollectedSpan[]): string => {
  const began = Math.min(...spans.map(({ startMs }) => startMs));
  const known = new Set(spans.map(({ spanId }) => spanId));
  const ms = (value: number): string => `${value.toFixed(1)} ms`.padStart(10);
  const below = (parent: CollectedSpan | null, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) =>
        parent === null ? !known.has(parentSpanId) : parentSpanId === parent.spanId,
      )
      .toSorted((a, b) => a.startMs - b.startMs)
      .flatMap((span) => [
        `${ms(span.startMs - began)} ${ms(span.endMs - span.startMs)}  ${'  '.repeat(depth)}${span.service}: ${span.name}${span.failed ? ' (failed)' : ''}`,
        ...below(span, depth + 1),
      ]);
  return [`${'start'.padStart(10)} ${'took'.padStart(10)}`, ...below(null, 0)].join('\n');
};
