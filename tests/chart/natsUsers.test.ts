import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { COMPONENTS, permissionsText } from '@evaluation/jobs-contract';
import { render } from './helm.ts';
import { embedded, external } from './installations.ts';
import { find, podsOf } from './pods.ts';

/* The configurations of other servers must match contracts/jobs/src/permissions.ts exactly. */

const usersFor = (namespace: string, passwordOf: (component: string) => string): string[] =>
  COMPONENTS.map(
    (component) =>
      `{ user: ${component}, password: ${passwordOf(component)}, permissions: ${permissionsText(component, namespace)} }`,
  );
const usersIn = (configuration: string): string[] =>
  configuration
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('{ user:'));

test('the embedded NATS of the chart has a user for each part with the permissions of the table', async () => {
  const objects = await render({ ...embedded, nats: { namespace: 'exams' } });
  const { 'service.conf': configuration = '' } = find(objects, 'ConfigMap', 'ae-answer-evaluation-nats')[
    'data'
  ] as Record<string, string>;
  expect(usersIn(configuration)).toEqual(
    usersFor('exams', (component) => `$NATS_${component.toUpperCase()}_PASSWORD`),
  );
});

test('docker-compose.yaml has a user for each part with the permissions of the table', async () => {
  const text = await readFile(join(import.meta.dirname, '../../docker-compose.yaml'), 'utf8');
  const compose = parse(text, { merge: true }) as {
    configs: Record<string, { content: string }>;
    services: Record<string, { environment: Record<string, string> }>;
  };
  const passwordOf = (component: string): string =>
    `\${NATS_${component.toUpperCase()}_PASSWORD:-trial-${component}-password}`;
  // Compose reads $$ as $.
  const configuration = (compose.configs['nats.conf']?.content ?? '').replaceAll('$$', '$');
  expect(usersIn(configuration)).toEqual(usersFor('evaluation', (component) => `"${passwordOf(component)}"`));
  for (const component of COMPONENTS)
    expect(compose.services[component]?.environment['NATS_URL']).toBe(
      `nats://${component}:${passwordOf(component)}@nats:4222`,
    );
});

test('each pod gets the address of its own NATS user, or one shared address if the values give one', async () => {
  const natsKeys = async (values: object): Promise<Record<string, string | undefined>> => {
    const pods = podsOf(await render(values as Parameters<typeof render>[0]));
    return Object.fromEntries(
      COMPONENTS.map((component) => {
        const pod = pods.find(({ labels }) => labels['app.kubernetes.io/component'] === component);
        const text = JSON.stringify(pod);
        return [
          component,
          /"NATS_URL","valueFrom":\{"secretKeyRef":\{"name":"[^"]+","key":"([^"]+)"/.exec(text)?.[1],
        ];
      }),
    );
  };
  expect(await natsKeys(embedded)).toEqual({
    core: 'NATS_CORE_URL',
    facade: 'NATS_FACADE_URL',
    worker: 'NATS_WORKER_URL',
  });
  expect(await natsKeys(external)).toEqual({ core: 'NATS_URL', facade: 'NATS_URL', worker: 'NATS_URL' });
  const own = {
    ...external,
    nats: { existingSecret: 'own-nats', existingSecretKeys: { worker: 'WORKER_URL' } },
  };
  expect(await natsKeys(own)).toEqual({ core: 'NATS_URL', facade: 'NATS_URL', worker: 'WORKER_URL' });
});
