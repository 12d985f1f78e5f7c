import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as metrics from './metrics.ts';

const run = promisify(execFile);

/** Dashboards, alerts and scalers refer to these names; a renamed metric breaks them silently. */
const PUBLISHED = [
  'evaluation_credits_total',
  'evaluation_database_pool_waiting',
  'evaluation_dependency_up',
  'evaluation_erasures_overdue',
  'evaluation_evidence_not_kept_total',
  'evaluation_http_request_duration_seconds',
  'evaluation_http_requests_in_flight',
  'evaluation_http_requests_total',
  'evaluation_lane_pending',
  'evaluation_model_cost_total',
  'evaluation_model_provider_up',
  'evaluation_model_request_duration_seconds',
  'evaluation_model_tokens_total',
  'evaluation_questions_finished_total',
  'evaluation_reconcile_differences',
  'evaluation_reconcile_last_success_timestamp_seconds',
  'evaluation_run_duration_seconds',
  'evaluation_runs_finished_total',
  'evaluation_runs_in_flight',
  'evaluation_runs_oldest_queued_seconds',
  'evaluation_runs_queued',
];

/** Labels with few values each: lanes, outcomes, routes. A label with ids would create a series per request. */
const FEW = new Set([
  'check',
  'call',
  'currency',
  'dependency',
  'direction',
  'lane',
  'method',
  'outcome',
  'reason',
  'route',
  'service',
  'status',
]);

test('no published metric is missing or renamed', () => {
  const names = metrics.describeMetrics().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(PUBLISHED));
});

test('the page holds all metrics of the service and of the process', async () => {
  const { contentType, body } = await metrics.exposition();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  for (const { name, type, help } of metrics.describeMetrics()) {
    expect(body).toContain(`# TYPE ${name} ${type}\n`);
    expect(help, name).toMatch(/^[A-Z1].+\.$/);
  }
  for (const name of [
    'process_cpu_seconds_total',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_heap_size_used_bytes',
  ])
    expect(body).toContain(`# TYPE ${name} `);
});

test('the gauges of the reconciliation are absent before its first result', async () => {
  // A process of its own: other test files of this one may have reconciled.
  const url = JSON.stringify(new URL('metrics.ts', import.meta.url));
  const { stdout: body } = await run(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { exposition } from ${url}; console.log((await exposition()).body);`,
  ]);
  expect(body).toContain('# TYPE evaluation_reconcile_differences gauge');
  expect(body).not.toMatch(/^evaluation_reconcile_/m);
});

test('labels have few values, and names have units', () => {
  for (const { name, type, labels } of metrics.describeMetrics()) {
    for (const label of labels) expect(FEW, `${label} of ${name}`).toContain(label);
    if (type === 'counter') expect(name).toMatch(/_total$/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  }
});

test('docs/telemetry.md lists each metric with its labels and help', async () => {
  const page = await readFile(new URL('../../../../docs/telemetry.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| `evaluation_'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  expect(rows.map(([, name, type, labels, help]) => [name, type, labels, help])).toEqual(
    metrics
      .describeMetrics()
      .map(({ name, type, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
      ]),
  );
});
