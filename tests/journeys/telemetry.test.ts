import { startModelServer, type ModelServer } from '@evaluation/test-services';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { createExam, untilOver } from '../harness/api.ts';
import { eventually } from '../harness/ledger.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { freePort, startSplitService, type Program, type SplitService } from '../harness/processes.ts';
import {
  startTraceCollector,
  treeOf,
  type CollectedSpan,
  type TraceCollector,
} from '../harness/traceCollector.ts';

/* Traces, metrics, health and log lines of facade, core and worker as separate processes. */

const ANSWER = 'Photosynthesis keeps the quagga alive';
const CANDIDATE = { external_id: 'ZZYZX-77', name: 'Quillfeather Ambrosius' };
const THEIR_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const THEIR_SPAN = '00f067aa0ba902b7';

const processes = ['facade', 'core', 'worker'] as const;
type Process = (typeof processes)[number];

let collector: TraceCollector;
let model: ModelServer;
let service: SplitService;
let worker: Program;
let ports: Record<Process, number>;
let submission: Submission;
let trace: CollectedSpan[];

beforeAll(async () => {
  [collector, model] = await Promise.all([startTraceCollector(), startModelServer()]);
  ports = { facade: await freePort(), core: await freePort(), worker: await freePort() };
  const settings = {
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'sk-never-to-be-seen',
  };
  service = await startSplitService(settings, {
    core: { METRICS_PORT: String(ports.core) },
    facade: { METRICS_PORT: String(ports.facade) },
  });
  worker = await service.startWorker({ METRICS_PORT: String(ports.worker) });
  const exam = await createExam(service.api, typedExam([mcq('1'), longAnswer('2'), longAnswer('3')]));
  const accepted = await service.api.send(`/exams/${exam.id}/submissions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      traceparent: `00-${THEIR_TRACE}-${THEIR_SPAN}-01`,
    },
    body: JSON.stringify({
      candidate: CANDIDATE,
      answers: ['2', '3'].map((label) => ({ question_label: label, text: `${ANSWER} ${label}` })),
    }),
  });
  expect(accepted.status).toBe(202);
  submission = await untilOver(service.api, ((await accepted.json()) as Submission).id);
  expect(submission.status).toBe('graded');
  trace = await eventually('the trace', async () => {
    const begun = collector.spans.find(
      ({ attributes }) => attributes['evaluation.client_trace_id'] === THEIR_TRACE,
    );
    const spans = collector.spans.filter(({ traceId }) => traceId === begun?.traceId);
    // Each process exports its spans every second.
    const isThere = (wanted: string) => spans.some(({ name }) => name === wanted);
    return ['POST /exams/:examId/submissions', 'grade typed', 'core grading.record'].every(isThere) && spans;
  });
});
afterAll(async () => {
  await service?.close();
  await model?.close();
  await collector?.close();
});

const look = async (process: Process, path: string): Promise<{ status: number; body: string }> => {
  const response = await fetch(`http://127.0.0.1:${ports[process]}${path}`);
  return { status: response.status, body: await response.text() };
};

const named = (name: string): CollectedSpan => {
  const [span, ...others] = trace.filter((each) => each.name === name);
  if (span === undefined || others.length > 0)
    throw new Error(`not exactly one span ${name}:\n${treeOf(trace)}`);
  return span;
};

test('one trace links to the client’s and continues through facade, core and lane to the worker and its records', async () => {
  const request = named('POST /exams/:examId/submissions');
  expect(request).toMatchObject({ service: 'facade', parentSpanId: '', failed: false });
  // The client's trace id is not used: clients do not decide what is traced.
  expect(request.traceId).not.toBe(THEIR_TRACE);
  expect(collector.spans.filter(({ traceId }) => traceId === THEIR_TRACE)).toEqual([]);
  expect(request.attributes).toMatchObject({
    'evaluation.client_trace_id': THEIR_TRACE,
    'evaluation.institute_id': service.instituteId,
    'http.response.status_code': '202',
  });
  const create = named('core public.submissions.create');
  expect(create).toMatchObject({ service: 'core', parentSpanId: request.spanId });
  expect(create.attributes['evaluation.request_id']).toBe(request.attributes['evaluation.request_id']);
  const grade = named('grade typed');
  expect(grade).toMatchObject({ service: 'worker', parentSpanId: create.spanId });
  expect(grade.attributes).toMatchObject({
    'evaluation.institute_id': service.instituteId,
    'evaluation.lane': 'typed',
    'evaluation.outcome': 'completed',
  });
  const records = trace.filter((each) => each.name === 'core grading.record');
  expect(records.length, treeOf(trace)).toBeGreaterThan(0);
  for (const call of records) expect(isWithin(call, grade)).toBe(true);
  const asked = trace.filter(({ name }) => name === 'model judge_answer');
  expect(asked.length, treeOf(trace)).toBeGreaterThanOrEqual(2);
  for (const call of asked) {
    expect(isWithin(call, grade)).toBe(true);
    expect(call.attributes).toMatchObject({ 'evaluation.outcome': 'answered', 'evaluation.lane': 'typed' });
  }
  for (const { failed, name, startMs, endMs } of trace) {
    expect(failed, name).toBe(false);
    expect(endMs, name).toBeGreaterThanOrEqual(startMs);
  }
});

const isWithin = (span: CollectedSpan, ancestor: CollectedSpan): boolean => {
  if (span.parentSpanId === ancestor.spanId) return true;
  const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
  return parent !== undefined && isWithin(parent, ancestor);
};

test('core starts no trace: calls without one, such as claims and heartbeats, have no span', () => {
  const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === '');
  expect(roots.length).toBeGreaterThan(0);
  for (const { service: from } of roots) expect(from).toBe('facade');
});

test('the metrics have the golden signals of facade and core, and the run with its credits', async () => {
  const [facade, core, ofWorker] = await Promise.all(
    processes.map(async (process) => (await look(process, '/metrics')).body),
  );
  const route = 'service="facade",route="/exams/:examId/submissions",method="POST"';
  expect(valueOf(facade, `evaluation_http_requests_total{${route},status="202"}`)).toBe(1);
  expect(valueOf(facade, `evaluation_http_request_duration_seconds_count{${route}}`)).toBe(1);
  expect(valueOf(facade, 'evaluation_http_requests_in_flight{service="facade"}')).toBe(0);
  const procedure = 'service="core",route="public.submissions.create",method="mutation"';
  expect(valueOf(core, `evaluation_http_requests_total{${procedure},status="200"}`)).toBe(1);
  expect(valueOf(core, `evaluation_http_request_duration_seconds_count{${procedure}}`)).toBe(1);
  expect(valueOf(core, 'evaluation_database_pool_waiting')).toBe(0);
  expect(valueOf(core, 'evaluation_credits_total{outcome="reserved"}')).toBe(2);
  expect(valueOf(core, 'evaluation_credits_total{outcome="charged"}')).toBe(submission.credits_charged);
  for (const name of ['runs_queued', 'runs_oldest_queued_seconds', 'runs_in_flight', 'lane_pending'])
    expect(valueOf(core, `evaluation_${name}{lane="typed"}`), name).toBe(0);
  const ended = 'lane="typed",outcome="completed"';
  expect(valueOf(core, `evaluation_runs_finished_total{${ended}}`)).toBe(1);
  expect(valueOf(core, 'evaluation_questions_finished_total{lane="typed",status="graded"}')).toBe(2);
  expect(valueOf(core, 'evaluation_evidence_not_kept_total{reason="refused"}')).toBe(0);
  expect(valueOf(ofWorker, `evaluation_run_duration_seconds_count{${ended}}`)).toBe(1);
  expect(valueOf(ofWorker, 'evaluation_model_provider_up{lane="typed"}')).toBe(1);
  const answered = 'lane="typed",call="judge_answer",outcome="answered"';
  const calls = trace.filter(({ name }) => name === 'model judge_answer').length;
  expect(valueOf(ofWorker, `evaluation_model_request_duration_seconds_count{${answered}}`)).toBe(calls);
  for (const direction of ['input', 'output'])
    expect(
      valueOf(ofWorker, `evaluation_model_tokens_total{lane="typed",direction="${direction}"}`),
    ).toBeGreaterThan(0);
  for (const page of [facade, core, ofWorker])
    expect(valueOf(page, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
});

const valueOf = (page: string | undefined, series: string): number => {
  const line = page?.split('\n').find((each) => each.startsWith(`${series} `));
  if (line === undefined) throw new Error(`no ${series}`);
  return Number(line.slice(series.length));
};

test('no key, answer, candidate or candidate id is in a span, a metric or a log line', async () => {
  // Log lines contain ids of runs and requests, so the search covers real output.
  const log = [service.facade, service.core(), worker].map((program) => program.output()).join('\n');
  const line = log.split('\n').find((each) => each.includes('/exams/:examId/submissions"'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    service: 'facade',
    msg: 'request',
    institute_id: service.instituteId,
    request_id: named('POST /exams/:examId/submissions').attributes['evaluation.request_id'],
    trace_id: named('POST /exams/:examId/submissions').traceId,
    method: 'POST',
    status: '202',
  });
  const pages = await Promise.all(processes.map(async (process) => (await look(process, '/metrics')).body));
  const secrets = [
    service.api.apiKey,
    'sk-never-to-be-seen',
    'quagga',
    'Quillfeather',
    CANDIDATE.external_id,
    service.environment['CORE_GRADING_TOKEN'] ?? '',
    service.environment['ACTOR_SIGNING_KEY'] ?? '',
  ];
  for (const [where, text] of Object.entries({
    traces: collector.received(),
    metrics: pages.join('\n'),
    log,
  }))
    for (const secret of secrets) expect(text.includes(secret), `${where}: ${secret}`).toBe(false);
  expect(pages.join('\n')).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
});

test('without core, facade and worker are live but not ready; they become ready once core is back', async () => {
  const ready = () => Promise.all(processes.map(async (each) => (await look(each, '/readyz')).status));
  expect(await ready()).toEqual([200, 200, 200]);
  await service.core().kill();
  for (const process of ['facade', 'worker'] as const) {
    // A finding is cached for a second.
    const notReady = await eventually(`${process} is not ready`, async () => {
      const seen = await look(process, '/readyz');
      return seen.status === 503 && seen;
    });
    expect(notReady).toEqual({ status: 503, body: 'core' });
    expect(await look(process, '/healthz')).toEqual({ status: 200, body: 'ok' });
  }
  await service.restartCore();
  await eventually('all are ready', async () => (await ready()).every((status) => status === 200));
});
