import type { Link } from '../../../tests/harness/link.ts';

/** The metrics by which the workers of a lane are scaled. */
export interface Metrics {
  /** Between the autoscaler and the metrics. */
  link: Link;
  close(): Promise<void>;
}
