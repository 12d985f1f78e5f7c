import { metrics } from '@evaluation/platform/telemetry';
import { openLanes } from '@evaluation/lanes';
import { newLanes } from '@evaluation/test-services';
import { afterAll, afterEach, expect, test } from 'vitest';
import { fabricatedRuns } from '../../../test/fabricatedRuns.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import { rememberLastServed } from '../../files/lastServed.ts';
import { coreGauges } from '../../server/gauges.ts';
import { releaseRuns } from './releaseRuns.ts';

/* Turns of runs, on fabricated rows without submissions. */

const core = await newTestCore();
const { client: maker } = core;
const lanes = openLanes({ ...newLanes(), name: 'core' });
await lanes.ensureStreams();
const services = { ...core.services, lanes };
afterAll(async () => {
  await lanes.close();
  await core.close();
});
afterEach(() => maker.query('truncate runs, institutes cascade'));
const { keepBusy, queueRuns, runsOut } = fabricatedRuns(maker);

test('runs that are over before the next release still let the institutes take turns', async () => {
  const made = await queueRuns(2, 10);
  // The ids are neighbours: a random begin of the turns would nearly always serve the first one.
  const institutes = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  for (const [index, id] of institutes.entries())
    await maker.query('update runs set institute_id = $1 where institute_id = $2', [id, made[index]]);
  const memory = rememberLastServed();
  const served: string[] = [];
  while (served.length < 6) {
    await releaseRuns(services, 'typed', memory);
    served.push(...(await runsOut()).keys());
    await maker.query(`update runs set status = 'completed' where status = 'released'`);
  }
  const [first = '', second = ''] = served;
  expect([first, second].toSorted()).toEqual(institutes);
  expect(served).toEqual([first, second, first, second, first, second]);
});

test('runs of a disabled institute wait until it is enabled again, and meanwhile count for no worker', async () => {
  const [stopped = '', other = ''] = await queueRuns(2, 2);
  await maker.query(
    `insert into institutes (id, name, api_enabled) values ($1, 'Stopped', false), ($2, 'Other', true)`,
    [stopped, other],
  );
  await keepBusy(6);
  const queued = async (): Promise<number> => {
    await coreGauges(services)();
    const { values } = await metrics.runsQueued.get();
    return values.find(({ labels }) => labels.lane === 'typed')?.value ?? -1;
  };
  expect(await queued()).toBe(2);
  await releaseRuns(services, 'typed', rememberLastServed());
  expect(await runsOut()).toEqual(new Map([[other, 2]]));
  await maker.query('update institutes set api_enabled = true where id = $1', [stopped]);
  expect(await queued()).toBe(4);
  await releaseRuns(services, 'typed', rememberLastServed());
  expect((await runsOut()).get(stopped)).toBe(2);
});
