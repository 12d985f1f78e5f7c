import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { metrics } from '@evaluation/platform/telemetry';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, test } from 'vitest';
import { chart, render, type KubernetesObject } from './helm.ts';
import { external, installations } from './installations.ts';
import { find, podsOf, selects } from './pods.ts';

const root = join(import.meta.dirname, '../..');
const NAME = 'ae-answer-evaluation';
/** Metrics of Prometheus, of prom-client's defaults, and of every cluster with the Prometheus operator. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  up: ['app_kubernetes_io_component', 'answer_evaluation_lane'],
  nodejs_eventloop_lag_p99_seconds: [],
  process_resident_memory_bytes: [],
  container_memory_working_set_bytes: ['pod', 'container'],
  kube_pod_container_resource_limits: ['pod', 'container', 'resource'],
  kube_job_failed: ['job_name', 'condition'],
};
/** Labels that Prometheus adds to every series. */
const TARGET = ['namespace', 'job', 'pod', 'le'];

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string; lane?: string };
  annotations: { summary: string; runbook_url: string };
}
interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}
interface Dashboard {
  uid: string;
  panels: Panel[];
  templating: { list: { name: string; query: unknown }[] };
}

let objects: KubernetesObject[];
let rules: Rule[];
let dashboard: Dashboard;
/** Metrics of our code and their labels, read from where they are registered. */
let ours: Map<string, readonly string[]>;

beforeAll(async () => {
  objects = await render(installations['everything monitored'] ?? {});
  const { groups } = find(objects, 'PrometheusRule', NAME)['spec'] as { groups: { rules: Rule[] }[] };
  rules = groups.flatMap((group) => group.rules);
  const data = find(objects, 'ConfigMap', `${NAME}-dashboard`)['data'] as Record<string, string>;
  dashboard = JSON.parse(data['answer-evaluation.json'] ?? '') as Dashboard;
  ours = new Map(
    metrics.describeMetrics().flatMap(({ name, type, labels }) => {
      const names = type === 'histogram' ? ['_bucket', '_count', '_sum'].map((end) => name + end) : [name];
      return names.map((one) => [one, labels] as const);
    }),
  );
  expect(ours.size).toBeGreaterThan(15);
});

const expressions = (): string[] => [
  ...rules.map(({ expr }) => expr),
  ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ...objects
    .filter(({ kind }) => kind === 'ScaledObject')
    .flatMap(({ spec }) => (spec as { triggers: { metadata: { query: string } }[] }).triggers)
    .map(({ metadata }) => metadata.query),
];
const PLAIN = { $__rate_interval: '5m', $namespace: 'exams', $job: 'ae' } as const;
const plain = (expr: string): string =>
  Object.entries(PLAIN).reduce((text, [name, value]) => text.replaceAll(name, value), expr);
/** Series of an expression, with the labels by which it selects them. */
const asks = (expr: string): { metric: string; labels: string[] }[] =>
  [...plain(expr).matchAll(/\b([a-z_][a-z0-9_]*)\{([^}]*)\}/g)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label]) => String(label)),
  }));

test('the grammar of Prometheus parses every expression', async () => {
  const scaled = await render(installations['KEDA, a lane of its own each'] ?? {});
  objects.push(...scaled.filter(({ kind }) => kind === 'ScaledObject'));
  expect(expressions().length).toBeGreaterThan(40);
  for (const expr of expressions()) {
    const wrong: string[] = [];
    parser.parse(plain(expr)).iterate({
      enter: ({ type, from, to }) => {
        if (type.isError) wrong.push(plain(expr).slice(Math.max(0, from - 20), to + 20));
      },
    });
    expect(wrong, expr).toEqual([]);
  }
  // Check that the parser does find errors.
  let errors = 0;
  parser.parse('sum by (lane (up)').iterate({ enter: ({ type }) => void (errors += Number(type.isError)) });
  expect(errors).toBeGreaterThan(0);
});

test('every series in an expression exists with the labels that the expression selects and groups by', () => {
  for (const expr of expressions()) {
    const asked = asks(expr);
    expect(asked.length, expr).toBeGreaterThan(0);
    const known = new Set(TARGET);
    for (const { metric, labels } of asked) {
      const has = ours.get(metric) ?? OTHERS[metric];
      expect(has, `${metric} in ${expr}`).toBeDefined();
      for (const label of has ?? []) known.add(label);
      for (const label of labels)
        expect([...(has ?? []), ...TARGET], `${metric} in ${expr}`).toContain(label);
    }
    for (const [, grouped = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
      for (const label of grouped.split(',').filter((one) => one.trim() !== ''))
        expect([...known], expr).toContain(label.trim());
  }
});

test('every metric of the service is used by an alert or a panel', () => {
  const asked = new Set(expressions().flatMap((expr) => asks(expr).map(({ metric }) => metric)));
  const unseen = metrics
    .describeMetrics()
    .map(({ name }) => name)
    .filter((name) => !['', '_bucket', '_count', '_sum'].some((end) => asked.has(name + end)));
  expect(unseen).toEqual([]);
});

describe('alerts', () => {
  test('each names the namespace and the release that it is about', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(labels, alert).toMatchObject({ namespace: 'exams', release: 'ae' });
      expect(annotations.summary, alert).toMatch(/ \(exams\/ae\)$/);
    }
  });

  test('each condition that an operator must know of has an alert', () => {
    expect([...new Set(rules.map(({ alert }) => alert))].sort()).toEqual([
      'EvaluationCreditsDiffer',
      'EvaluationDependencyDown',
      'EvaluationDown',
      'EvaluationErasuresOverdue',
      'EvaluationEventLoopLag',
      'EvaluationEvidenceRefused',
      'EvaluationHighErrorRate',
      'EvaluationHighLatency',
      'EvaluationInspectionsStuck',
      'EvaluationJobsBreak',
      'EvaluationMemoryNearLimit',
      'EvaluationMigrationFailed',
      'EvaluationNoWorkers',
      'EvaluationPoolExhausted',
      'EvaluationProviderDown',
      'EvaluationQuestionsFailing',
      'EvaluationQueueOld',
      'EvaluationReconcileOld',
      'EvaluationRunsFailing',
    ]);
  });

  /** The named alert, without the labels by which all series of the release are selected. */
  const only = (name: string): { expr: string; for: string; severity: string } => {
    const [rule, ...others] = rules.filter(({ alert }) => alert === name);
    if (rule === undefined || others.length > 0) throw new Error(`not exactly one ${name}`);
    const expr = rule.expr.replaceAll(/namespace="exams",job="ae-answer-evaluation-metrics",?/g, '');
    return { expr: expr.replaceAll('{}', ''), for: rule.for, severity: rule.labels.severity };
  };

  test('the alert for an unreachable dependency lasts as long as the outage, with and without requests', () => {
    expect(only('EvaluationDependencyDown')).toEqual({
      expr: 'max by (service, dependency) (evaluation_dependency_up) == 0',
      for: '2m',
      severity: 'critical',
    });
  });

  test('the alert for an unreachable model fires while work waits for the model, and not for one worker of many', () => {
    expect(only('EvaluationProviderDown').expr).toBe(
      '(avg by (lane) (evaluation_model_provider_up) < 0.5 and on (lane) max by (lane) (evaluation_runs_queued) > 0) or ' +
        '(max by (lane) (evaluation_model_provider_up) == 0 and on (lane) max by (lane) (evaluation_runs_in_flight) > 0)',
    );
  });

  test('the alert for findings lasts until a later comparison ends, even after the reporting pod was deleted; missing comparisons have an alert', () => {
    const finished = 'last_over_time(evaluation_reconcile_last_success_timestamp_seconds[130m])';
    expect(only('EvaluationCreditsDiffer').expr).toBe(
      `max(last_over_time(evaluation_reconcile_differences[130m]) and topk(1, ${finished})) > 0`,
    );
    expect(only('EvaluationReconcileOld')).toEqual({
      expr:
        `time() - max(${finished}) > 7800 or ` +
        'max(absent_over_time(evaluation_reconcile_last_success_timestamp_seconds[130m]))',
      // A new installation makes its first comparison, and so the metric, within 70 minutes.
      for: '70m',
      severity: 'warning',
    });
  });

  test('each alert states the problem and its severity, and links to a heading of the runbook', async () => {
    const page = await readFile(join(root, 'docs/operate/runbook.md'), 'utf8');
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, text]) => String(text).toLowerCase());
    for (const { alert, labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      const [file, anchor] = annotations.runbook_url.split('#');
      expect(file).toBe('https://git.example.org/exams/docs/operate/runbook.md');
      expect(headings, alert).toContain(anchor);
    }
  });

  test('without workers for a lane, or without comparisons, their alerts are not rendered', async () => {
    const values = {
      ...external,
      monitoring: { runbookUrl: 'https://example.org/operations', prometheusRule: { enabled: true } },
      core: { settings: { RECONCILE_MINUTES: 0 } },
      worker: { lanes: { typed: { enabled: false, elsewhere: true } } },
    };
    const rule = find(await render(values), 'PrometheusRule', NAME);
    expect(JSON.stringify(rule)).not.toMatch(/typed|evaluation_reconcile/);
  });
});

test('the monitor scrapes each pod, ready or not, with the labels that the alerts select by', () => {
  const { selector, podTargetLabels, endpoints } = find(objects, 'ServiceMonitor', NAME)['spec'] as {
    selector: { matchLabels: Record<string, string> };
    podTargetLabels: string[];
    endpoints: { port: string; honorLabels: boolean }[];
  };
  const services = objects.filter(
    ({ kind, metadata }) => kind === 'Service' && selects(selector.matchLabels, metadata.labels ?? {}),
  );
  expect(services).toHaveLength(1);
  const spec = services[0]?.['spec'] as {
    selector: Record<string, string>;
    ports: { name: string; targetPort: string }[];
    publishNotReadyAddresses: boolean;
  };
  expect(services[0]?.metadata.name).toBe(`${NAME}-metrics`);
  expect(spec.publishNotReadyAddresses).toBe(true);
  expect(endpoints).toMatchObject([{ port: spec.ports[0]?.name, honorLabels: true }]);
  const scraped = podsOf(objects).filter(({ labels }) => selects(spec.selector, labels));
  expect(scraped.map(({ owner }) => owner.metadata.name).sort()).toEqual(
    ['core', 'facade', 'worker-copy', 'worker-typed'].map((part) => `${NAME}-${part}`),
  );
  expect(podTargetLabels.map((label) => label.replaceAll(/[^a-z_]/g, '_'))).toEqual(OTHERS['up']);
  for (const { expr } of rules) if (/job="/.test(expr)) expect(expr).toContain(`job="${NAME}-metrics"`);
});

test('each panel of the dashboard has its own place and a description, under signals, lanes, runs, model and credits', async () => {
  const rows = dashboard.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
  expect(rows).toEqual([
    'Golden signals',
    'Latency by route and core',
    'Lanes',
    'Runs',
    'Model',
    'Credits and erasures',
  ]);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const taken = new Set<string>();
  for (const { title, gridPos, description, type, targets } of dashboard.panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(taken.has(`${x},${y}`), title).toBe(false);
        taken.add(`${x},${y}`);
      }
    if (type === 'row') continue;
    expect(description?.length, title).toBeGreaterThan(10);
    expect(targets?.length, title).toBeGreaterThan(0);
  }
  expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'namespace', 'job']);
  expect(JSON.parse(await readFile(join(chart, 'dashboards/answer-evaluation.json'), 'utf8'))).toEqual(
    dashboard,
  );
});

describe('scaling', () => {
  test('KEDA scales a lane by its waiting and claimed jobs, and by the other jobs of its workers', async () => {
    const queries = async (installation: string): Promise<Record<string, string[]>> =>
      Object.fromEntries(
        (await render(installations[installation] ?? {}))
          .filter(({ kind }) => kind === 'ScaledObject')
          .map(({ metadata, spec }) => [
            metadata.name.replace(/.*-worker-/, ''),
            (spec as { triggers: { metadata: { query: string; threshold: string } }[] }).triggers.map(
              (trigger) =>
                `${trigger.metadata.query.replace(/namespace.*metrics",/, '')} / ${trigger.metadata.threshold}`,
            ),
          ]),
      );
    const runs = (lane: string, queued: number, inHand: number): string[] => [
      `max(evaluation_runs_queued{lane="${lane}"}) / ${queued}`,
      `max(evaluation_runs_in_flight{lane="${lane}"}) / ${inHand}`,
    ];
    const jobs = (lane: string): string => `max(evaluation_lane_pending{lane="${lane}"}) / 20`;
    expect(await queries('KEDA, a lane of its own each')).toEqual({
      copy: runs('copy', 4, 2),
      typed: runs('typed', 32, 8),
      inspect: [jobs('inspect')],
      draw: [jobs('draw')],
    });
    expect(await queries('KEDA, copies with inspections and drawings')).toEqual({
      copy: [...runs('copy', 4, 2), jobs('inspect'), jobs('draw')],
      typed: runs('typed', 32, 8),
    });
  });

  test('without Prometheus KEDA reads the same numbers from core', async () => {
    const withoutPrometheus = await render(installations['KEDA without Prometheus'] ?? {});
    const scaled = find(withoutPrometheus, 'ScaledObject', `${NAME}-worker-typed`);
    const triggers = [
      ['evaluation_runs_queued', '32'],
      ['evaluation_runs_in_flight', '8'],
    ].map(([metric, targetValue]) => ({
      type: 'metrics-api',
      metadata: {
        url: `http://${NAME}-core.exams:9090/metrics`,
        format: 'prometheus',
        valueLocation: `${metric}{lane="typed"}`,
        targetValue,
      },
    }));
    expect(scaled['spec']).toMatchObject({ triggers, fallback: { behavior: 'static' } });
    expect(find(withoutPrometheus, 'Service', `${NAME}-core`)['spec']).toMatchObject({
      ports: [{ name: 'trpc' }, { name: 'metrics', port: 9090 }],
    });
    const policy = find(withoutPrometheus, 'NetworkPolicy', `${NAME}-core`)['spec'] as { ingress: unknown[] };
    expect(policy.ingress).toContainEqual({
      ports: [{ protocol: 'TCP', port: 9090 }],
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'keda' } } }],
    });
  });

  test('KEDA gets its credentials, and an outage of Prometheus does not reduce the workers', async () => {
    const scaled = find(
      await render(installations['KEDA, a lane of its own each'] ?? {}),
      'ScaledObject',
      `${NAME}-worker-copy`,
    );
    const trigger = {
      authenticationRef: { name: 'prometheus', kind: 'ClusterTriggerAuthentication' },
      metadata: { authModes: 'bearer', customHeaders: 'X-Scope-OrgID=exams', ignoreNullValues: 'false' },
    };
    expect(scaled['spec']).toMatchObject({
      fallback: { failureThreshold: 5, replicas: 2, behavior: 'currentReplicasIfHigher' },
      triggers: [trigger, trigger],
    });
  });

  test('an HPA reads the same numbers as external metrics', async () => {
    const hpa = find(
      await render(installations['HPA everywhere'] ?? {}),
      'HorizontalPodAutoscaler',
      `${NAME}-worker-typed`,
    );
    expect(hpa['spec']).toMatchObject({
      metrics: [
        {
          type: 'External',
          external: {
            metric: {
              name: 'evaluation_runs_queued',
              selector: { matchLabels: { lane: 'typed', job: 'ae' } },
            },
            target: { type: 'AverageValue', averageValue: '32' },
          },
        },
        { external: { metric: { name: 'evaluation_runs_in_flight' } } },
      ],
    });
  });
});
