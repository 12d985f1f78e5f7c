import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';

const VALUES = fileURLToPath(new URL('../../../charts/answer-evaluation/values.yaml', import.meta.url));

/** Where the chart's values have each container. The worker is the one of the lane of copies. */
const PLACES: Record<string, string[]> = {
  facade: ['facade'],
  core: ['core'],
  desk: ['desk'],
  migrate: ['migrations'],
  worker: ['worker', 'lanes', 'copy'],
  postgres: ['embedded', 'postgresql'],
  nats: ['embedded', 'nats'],
  s3: ['embedded', 's3'],
};

/** Options of `docker run`: the limits of the chart's containers, and the temporary folder of a worker. */
export const chartLimits = async (): Promise<Record<string, string[]>> => {
  const values = parseDocument(await readFile(VALUES, 'utf8'));
  const text = (...path: string[]): string => String(values.getIn(path));
  const found: Record<string, string[]> = {};
  for (const [part, place] of Object.entries(PLACES)) {
    const limit = (name: string): string => text(...place, 'resources', 'limits', name);
    found[part] = ['--memory', String(bytes(limit('memory'))), '--cpus', String(cores(limit('cpu')))];
  }
  const size = bytes(text('worker', 'lanes', 'copy', 'temporaryFiles'));
  found['worker']?.push('--tmpfs', `/tmp:size=${size}`);
  return found;
};

/** Of a quantity of Kubernetes in Ki, Mi or Gi. */
export const bytes = (quantity: string): number => {
  const [, number, unit] = /^(\d+)([KMG])i$/.exec(quantity) ?? [];
  if (number === undefined || unit === undefined) throw new Error(`not a quantity of bytes: ${quantity}`);
  return Number(number) * 1024 ** ' KMG'.indexOf(unit);
};

/** Of a quantity of Kubernetes: cores, or thousandths of one. */
export const cores = (quantity: string): number => {
  const [, number, unit] = /^(\d+)(m?)$/.exec(quantity) ?? [];
  if (number === undefined) throw new Error(`not a quantity of CPU: ${quantity}`);
  return unit === 'm' ? Number(number) / 1000 : Number(number);
};
