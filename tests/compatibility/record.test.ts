import { writeFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { startModelServer } from '@evaluation/test-services';
import type { Result } from '@evaluation/rest-contract/schemas';
import { expect, test } from 'vitest';
import { copyPdf, examBody } from '../fixtures/fixtures.ts';
import { apiClient, createExam, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { eventually } from '../harness/ledger.ts';
import { startSplitService, type SplitService } from '../harness/processes.ts';
import { EVERY_SCOPE } from '../harness/service.ts';
import { truthOf } from '../resilience/modelCalls.ts';
import { listenHere } from '../harness/listenHere.ts';

/*
 * Not a test: records the calls of this release's facade and worker to core, with the answers, for the tests of the
 * next release. Run with each release (docs/compatibility.md): RECORD_CALLS=<version> npx vitest run
 * tests/compatibility/record
 */
const version = process.env['RECORD_CALLS'];

interface Call {
  input: unknown;
  output: unknown;
}

test.skipIf(version === undefined)(
  'records the calls of core by facade and worker',
  { timeout: 300_000 },
  async () => {
    const calls = new Map<string, Call>();
    let service: SplitService | undefined;
    const proxy = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        forward(
          `http://127.0.0.1:${service?.environment['CORE_PORT']}${request.url}`,
          { method: request.method, headers: request.headers },
          (answer) => {
            const parts: Buffer[] = [];
            answer.on('data', (part: Buffer) => parts.push(part));
            answer.on('end', () => {
              const answered = Buffer.concat(parts);
              keep(calls, request.url ?? '', body, answered);
              response.writeHead(answer.statusCode ?? 500, answer.headers).end(answered);
            });
          },
        )
          .on('error', () => response.destroy())
          .end(body);
      });
    });
    const port = await listenHere(proxy);
    const model = await startModelServer();
    model.know(truthOf('average'));
    try {
      service = await startSplitService({
        CORE_URL: `http://127.0.0.1:${port}`,
        GRADER: 'openai',
        OPENAI_BASE_URL: model.baseUrl,
        LEASE_SECONDS: '2',
        DRAIN_SECONDS: '0',
      });
      const { api_key } = await service.newKey(EVERY_SCOPE);
      const api = apiClient(service.api.baseUrl, api_key);
      const worker = await service.startWorker();
      model.behave([{ schemaName: 'judge_answer', behaviour: { kind: 'slow', ms: 1500 } }]);
      const exam = await createExam(api, examBody('science'));
      const uploadId = await uploadCopy(api, copyPdf('average'));
      const { id } = await submit(api, exam.id, { candidate: { external_id: 'R' }, upload_id: uploadId });
      await untilOver(api, id);
      const { body: result } = await api.get<Result>(`/submissions/${id}/result`);
      const [question] = result.questions;
      const marked = await api.patch(`/submissions/${id}/questions/${question?.question_id}`, {
        reviewer: 'teacher',
        awarded: 0.5,
      });
      expect(marked.status, JSON.stringify(marked.body)).toBe(200);
      await eventually('the copy is drawn anew', async () => calls.has('grading.recordDrawing'));
      model.behave([{ behaviour: { kind: 'hang' } }]);
      await api.post(`/submissions/${id}/re-evaluate`, {});
      await eventually('a run is in progress', async () =>
        model.calls.some(({ endedAt }) => endedAt === null),
      );
      worker.signal('SIGTERM');
      await worker.exited;
    } finally {
      await service?.close();
      await model.close();
      proxy.closeAllConnections();
      proxy.close();
    }
    const rows = [...calls]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, { input, output }]) => {
        const [router, procedure] = [path.slice(0, path.indexOf('.')), path.slice(path.indexOf('.') + 1)];
        const type = `Outputs['${[router, ...procedure.split('.')].join("']['")}']`;
        const value = (part: unknown): string =>
          part === undefined ? 'undefined' : JSON.stringify(shortened(part));
        return `  '${path}': { input: ${value(input)}, output: ${value(output)}${output === undefined ? '' : ` satisfies ${type}`} },`;
      });
    expect(rows.length).toBeGreaterThan(15);
    await writeFile(
      new URL(`recorded/calls-${version}.ts`, import.meta.url),
      [
        "import type { Outputs } from '@evaluation/core-client';",
        '',
        `/** What facade and worker of release ${version} sent to core, and its answers; written by record.test.ts. */`,
        'export const calls = {',
        ...rows,
        '};',
        '',
      ].join('\n'),
    );
  },
);

/** Keeps the call of each procedure with the most content. */
const keep = (calls: Map<string, Call>, url: string, body: Buffer, answered: Buffer): void => {
  const path = url.slice(1).split('?')[0] ?? '';
  if (!/^(?:grading|public)\./.test(path)) return;
  const answer = JSON.parse(answered.toString()) as { result?: { data?: unknown } };
  if (answer.result === undefined) return;
  const call = {
    input: body.length === 0 ? undefined : (JSON.parse(body.toString()) as unknown),
    output: answer.result.data,
  };
  const known = calls.get(path);
  if (
    known === undefined ||
    JSON.stringify(call.output ?? null).length > JSON.stringify(known.output ?? null).length
  )
    calls.set(path, call);
};

/** Shortens a list to two items: enough to show that it is a list. */
const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 2).map(shortened);
  if (typeof value === 'string' && /^https?:/.test(value)) return value.split('?')[0];
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shortened(one)]));
};
