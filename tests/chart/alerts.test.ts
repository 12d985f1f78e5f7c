import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { render } from './helm.ts';
import { installations } from './installations.ts';
import { find } from './pods.ts';

/*
 * The alerts over series of an hour, by Prometheus' own promtool. Without promtool (PATH or PROMTOOL_BIN) these tests
 * are skipped; monitoring.test.ts still parses every expression.
 */
const run = promisify(execFile);
const PROMTOOL = process.env['PROMTOOL_BIN'] ?? 'promtool';
const hasPromtool = await run(PROMTOOL, ['--version']).then(
  () => true,
  () => false,
);
const NAME = 'ae-answer-evaluation';
const JOB = `namespace="exams",job="${NAME}-metrics"`;

interface Series {
  series: string;
  values: string;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  const objects = await render(installations['everything monitored'] ?? {});
  await writeFile(join(folder, 'rules.yaml'), stringify(find(objects, 'PrometheusRule', NAME)['spec']));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Labels of the alerts of one name that fire at a minute. */
const firing = async (alert: string, minute: number, input: Series[]): Promise<boolean> => {
  const file = join(folder, `${alert}-${minute}-${Math.random()}.yaml`);
  const none = { eval_time: `${minute}m`, alertname: alert, exp_alerts: [] };
  await writeFile(
    file,
    stringify({
      rule_files: [join(folder, 'rules.yaml')],
      evaluation_interval: '1m',
      tests: [{ interval: '1m', input_series: input, alert_rule_test: [none] }],
    }),
  );
  const { code, output } = await run(PROMTOOL, ['test', 'rules', file]).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { stdout: string; stderr: string }) => ({ code: 1, output: error.stdout + error.stderr }),
  );
  if (code === 0) return false;
  expect(output).toContain(`alertname="${alert}"`);
  expect(output).toContain('namespace="exams"');
  expect(output).toContain('release="ae"');
  return true;
};

const gauge = (metric: string, labels: string, values: string): Series => ({
  series: `${metric}{${JOB}${labels === '' ? '' : `,${labels}`}}`,
  values,
});

test.runIf(hasPromtool)(
  'an upload that waits too long fires, a steady number of uploads does not',
  async () => {
    const pending = gauge('evaluation_lane_pending', 'lane="inspect"', '2+0x60');
    const age = (values: string) => gauge('evaluation_lane_oldest_pending_seconds', 'lane="inspect"', values);
    expect(await firing('EvaluationInspectionsStuck', 30, [pending, age('9+0x60')])).toBe(false);
    expect(await firing('EvaluationInspectionsStuck', 30, [pending, age('0+60x60')])).toBe(true);
  },
);

test.runIf(hasPromtool)(
  'a dependency that all replicas miss fires, one that a single replica misses does not',
  async () => {
    const up = (pod: string, values: string) =>
      gauge('evaluation_dependency_up', `service="core",dependency="database",pod="${pod}"`, values);
    expect(await firing('EvaluationDependencyDown', 10, [up('a', '0x60'), up('b', '1x60')])).toBe(false);
    expect(await firing('EvaluationDependencyDown', 10, [up('a', '0x60'), up('b', '0x60')])).toBe(true);
  },
);

test.runIf(hasPromtool)(
  'runs that wait without a worker fire, also when the series of the workers are gone',
  async () => {
    const waiting = gauge('evaluation_runs_queued', 'lane="copy"', '3x60');
    const worker = (values: string) =>
      gauge('up', 'app_kubernetes_io_component="worker",answer_evaluation_lane="copy"', values);
    expect(await firing('EvaluationNoWorkers', 20, [waiting, worker('1x60')])).toBe(false);
    expect(await firing('EvaluationNoWorkers', 20, [waiting, worker('0x60')])).toBe(true);
    expect(await firing('EvaluationNoWorkers', 20, [waiting])).toBe(true);
  },
);

test.runIf(hasPromtool)('a difference of credits ends with a later round without one', async () => {
  const differences = gauge('evaluation_reconcile_differences', '', '0x10 2x20 0x30');
  const finished = gauge('evaluation_reconcile_last_success_timestamp_seconds', '', '0+60x60');
  expect(await firing('EvaluationCreditsDiffer', 5, [differences, finished])).toBe(false);
  expect(await firing('EvaluationCreditsDiffer', 20, [differences, finished])).toBe(true);
  expect(await firing('EvaluationCreditsDiffer', 50, [differences, finished])).toBe(false);
});
