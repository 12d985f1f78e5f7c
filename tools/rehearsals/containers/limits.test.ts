import { expect, test } from 'vitest';
import { bytes, chartLimits, cores } from './limits.ts';

test('quantities of Kubernetes become numbers', () => {
  expect(bytes('768Mi')).toBe(805_306_368);
  expect(bytes('5Gi')).toBe(5_368_709_120);
  expect(() => bytes('5G')).toThrow('5G');
  expect(cores('500m')).toBe(0.5);
  expect(cores('2')).toBe(2);
  expect(() => cores('many')).toThrow('many');
});

test('each container has a limit of memory and CPU in the chart, and the worker a temporary folder', async () => {
  const limits = await chartLimits();
  expect(Object.keys(limits)).toHaveLength(8);
  for (const options of Object.values(limits)) expect(options).toContain('--memory');
  expect(limits['worker']).toContain(`/tmp:size=${bytes('2Gi')}`);
});
