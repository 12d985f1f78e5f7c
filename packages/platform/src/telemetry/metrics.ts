/** All Prometheus metrics of the service. Labels have few values and never hold ids, keys or client data. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export const registry = new Registry();

const here = { registers: [registry] };

/** Buckets of requests, from a cached read to a call that waits for an inspection. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Buckets of model calls, up to the longest timeout that settings allow. */
const MODEL_SECONDS = [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300];
/** Buckets of runs, up to the deadline of a copy. */
const RUN_SECONDS = [0.5, 1, 2, 5, 10, 20, 40, 60, 120, 300, 600, 1200, 1800];

export const httpRequests = new Counter({
  name: 'evaluation_http_requests_total',
  help: 'Requests answered, by route of the contract (facade) or procedure (core).',
  labelNames: ['service', 'route', 'method', 'status'],
  ...here,
});
export const httpDuration = new Histogram({
  name: 'evaluation_http_request_duration_seconds',
  help: 'From the last byte of a request’s head to the last byte of its answer.',
  labelNames: ['service', 'route', 'method'],
  buckets: REQUEST_SECONDS,
  ...here,
});
export const httpInFlight = new Gauge({
  name: 'evaluation_http_requests_in_flight',
  help: 'Requests that wait for their answer.',
  labelNames: ['service'],
  ...here,
});

export const runsQueued = new Gauge({
  name: 'evaluation_runs_queued',
  help: 'Runs that wait, released ones included; the number that workers are scaled by.',
  labelNames: ['lane'],
  ...here,
});
export const runsOldestQueued = new Gauge({
  name: 'evaluation_runs_oldest_queued_seconds',
  help: 'How long the run that waits longest has waited; 0 when none waits.',
  labelNames: ['lane'],
  ...here,
});
export const runsInFlight = new Gauge({
  name: 'evaluation_runs_in_flight',
  help: 'Runs that a worker holds.',
  labelNames: ['lane'],
  ...here,
});
export const runsFinished = new Counter({
  name: 'evaluation_runs_finished_total',
  help: 'Runs that are over, each once, as core recorded it: completed, failed, cancelled.',
  labelNames: ['lane', 'outcome'],
  ...here,
});
export const questionsFinished = new Counter({
  name: 'evaluation_questions_finished_total',
  help: 'Questions of ended runs, without those marked by their key: graded, not_answered, failed.',
  labelNames: ['lane', 'status'],
  ...here,
});
export const evidenceNotKept = new Counter({
  name: 'evaluation_evidence_not_kept_total',
  help: 'Parts of evidence that marks were recorded without: refused (by the object store), too_large.',
  labelNames: ['reason'],
  ...here,
});
export const runDuration = new Histogram({
  name: 'evaluation_run_duration_seconds',
  help: 'From a worker’s claim of a run to its end there: completed, failed, lost (to a cancellation or another worker), broken (by a bug; delivered again).',
  labelNames: ['lane', 'outcome'],
  buckets: RUN_SECONDS,
  ...here,
});

export const modelDuration = new Histogram({
  name: 'evaluation_model_request_duration_seconds',
  help: 'One HTTP request to the model, by its call and its outcome: answered, malformed, refused, unreachable, timed_out, aborted.',
  labelNames: ['lane', 'call', 'outcome'],
  buckets: MODEL_SECONDS,
  ...here,
});
export const modelTokens = new Counter({
  name: 'evaluation_model_tokens_total',
  help: 'Tokens that the provider counted, by direction: input, cached_input (a part of input), output.',
  labelNames: ['lane', 'direction'],
  ...here,
});
export const modelCost = new Counter({
  name: 'evaluation_model_cost_total',
  help: 'Cost of tokens by MODEL_PRICES, without models that have no price.',
  labelNames: ['lane', 'currency'],
  ...here,
});
export const jobsFailed = new Counter({
  name: 'evaluation_lane_jobs_failed_total',
  help: 'Jobs of a lane whose handling broke, each time: the job is delivered again, and dropped after ten deliveries.',
  labelNames: ['lane'],
  ...here,
});
export const providerUp = new Gauge({
  name: 'evaluation_model_provider_up',
  help: '1 while calls are sent to the model, 0 while they are held back because it is down, refuses the account or fails its preflight.',
  labelNames: ['lane'],
  ...here,
});
export const modelPreflight = new Gauge({
  name: 'evaluation_model_preflight',
  help: '1 when the latest preflight of a lane passed a check of its model (endpoint, schema, vision, context), 0 when it failed it and the lane takes no runs.',
  labelNames: ['lane', 'check'],
  ...here,
});

export const creditsMoved = new Counter({
  name: 'evaluation_credits_total',
  help: 'Credits by outcome: reserved, charged, released, granted.',
  labelNames: ['outcome'],
  ...here,
});
export const reconcileDifferences = new Gauge({
  name: 'evaluation_reconcile_differences',
  help: 'Differences between ledger, reservations and runs that the last round of this process found; 0 is right.',
  ...here,
});
export const reconcileLastSuccess = new Gauge({
  name: 'evaluation_reconcile_last_success_timestamp_seconds',
  help: 'When this process last finished a round of comparing ledger, reservations and runs.',
  ...here,
});
// Without `remove`, a gauge without labels is 0 before its first value: "no differences" and "success in 1970".
for (const gauge of [reconcileDifferences, reconcileLastSuccess]) gauge.remove();
export const erasuresOverdue = new Gauge({
  name: 'evaluation_erasures_overdue',
  help: 'Erasures of candidates that have not ended within a day, for example because the store refuses to delete a file; 0 is right.',
  ...here,
});
export const dependencyUp = new Gauge({
  name: 'evaluation_dependency_up',
  help: '1 when the dependency answered the latest check.',
  labelNames: ['service', 'dependency'],
  ...here,
});
export const databasePoolWaiting = new Gauge({
  name: 'evaluation_database_pool_waiting',
  help: 'Requests that wait for a database connection.',
  ...here,
});
export const lanePending = new Gauge({
  name: 'evaluation_lane_pending',
  help: 'Jobs of a lane that no worker has taken: its messages, and inspections and drawings that wait for their turn.',
  labelNames: ['lane'],
  ...here,
});
export const laneOldestPending = new Gauge({
  name: 'evaluation_lane_oldest_pending_seconds',
  help: 'How long the inspection or drawing that waits longest has waited, released ones included; 0 when none waits.',
  labelNames: ['lane'],
  ...here,
});

export interface MetricDescription {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  help: string;
  labels: readonly string[];
}

const OWN = 'evaluation_';

export const describeMetrics = (): MetricDescription[] =>
  registry
    .getMetricsAsArray()
    .filter(({ name }) => name.startsWith(OWN))
    .map((metric) => {
      const type: unknown = metric.type;
      const labels: unknown = Reflect.get(metric, 'labelNames');
      if (type !== 'counter' && type !== 'gauge' && type !== 'histogram')
        throw new Error(`${metric.name}: ${String(type)}`);
      return {
        name: metric.name,
        type,
        help: metric.help,
        labels: Array.isArray(labels) ? labels.map(String) : [],
      };
    });

let collectingDefaults = false;

/** The metrics page. The first call starts the default metrics of the process (memory, event loop, CPU). */
export const exposition = async (): Promise<{ contentType: string; body: string }> => {
  if (!collectingDefaults) {
    collectingDefaults = true;
    collectDefaultMetrics({ register: registry });
  }
  return { contentType: registry.contentType, body: await registry.metrics() };
};
