import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chart, helm } from './helm.ts';
import { readValues } from './valuesSchema.ts';
import { withTable } from './valuesTable.ts';
import { embedded, external } from './installations.ts';

test('each value has a description', async () => {
  const values = await readValues(chart);
  expect(values.length).toBeGreaterThan(200);
  const bare = values.filter(
    ({ schema, path }) => !/\.(?:requests|limits)$/.test(path) && (schema.description ?? '').length < 5,
  );
  expect(bare.map(({ path }) => path)).toEqual([]);
});

test('values.yaml and values.schema.json name the same values', async () => {
  const values = await readValues(chart);
  // Settings default in the service, so values.yaml leaves most of them out.
  const missing = values.filter(
    ({ path, default: value }) => value === undefined && path !== 'global' && !/\.settings\./.test(path),
  );
  expect(missing.map(({ path }) => path)).toEqual([]);
});

test('every object of values with named fields refuses other fields', async () => {
  const open = (await readValues(chart)).filter(
    ({ schema, path }) =>
      schema.properties !== undefined &&
      schema.additionalProperties !== false &&
      !/\.(?:requests|limits)$/.test(path),
  );
  expect(open.map(({ path }) => path)).toEqual([]);
});

test('the table of values in the chart’s README matches the schema', async () => {
  const readme = await readFile(join(chart, 'README.md'), 'utf8');
  expect(await withTable(readme, chart)).toBe(readme);
});

test('the notes end with a first API call, and mark a trial installation as one', async () => {
  const notes = async (values: object): Promise<string> =>
    (
      await helm(
        ['install', 'ae', chart, '--dry-run=client', '--namespace', 'exams', '--values', '-'],
        JSON.stringify(values),
      )
    ).stdout.replace(/^[^]*\nNOTES:\n/, '');
  const [own, trial, ingress] = await Promise.all([
    notes(external),
    notes(embedded),
    notes({ ...external, ingress: { enabled: true, hosts: ['api.example.org'], tlsSecretName: 'tls' } }),
  ]);
  expect(own).toContain('curl --header "X-API-Key: $API_KEY" http://127.0.0.1:8080/v1/me');
  expect(own).not.toContain('TRIAL');
  expect(own).toContain('every result waits for a review');
  expect(own).toContain('exec deployment/ae-answer-evaluation-core');
  expect(trial).toContain('THIS IS A TRIAL');
  expect(trial).toContain('port-forward service/ae-answer-evaluation-s3 7070:7070');
  expect(ingress).toContain('curl --header "X-API-Key: $API_KEY" https://api.example.org/v1/me');
});
