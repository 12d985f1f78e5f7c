import { beforeAll, describe, expect, test } from 'vitest';
import { render, type KubernetesObject } from './helm.ts';
import { embedded, external, installations, literal, model } from './installations.ts';
import { podsOf, selects, type Pod } from './pods.ts';

interface Peer {
  podSelector?: { matchLabels?: Record<string, string> };
  namespaceSelector?: object;
  ipBlock?: { cidr: string; except?: string[] };
}
interface Rule {
  from?: Peer[];
  to?: Peer[];
  ports?: { port: number }[];
}
interface Policy {
  podSelector: { matchLabels?: Record<string, string> };
  policyTypes: string[];
  ingress?: Rule[];
  egress?: Rule[];
}

const policies = (objects: KubernetesObject[]): Policy[] =>
  objects.filter(({ kind }) => kind === 'NetworkPolicy').map((object) => object['spec'] as Policy);
const componentOf = ({ labels }: Pod): string => labels['app.kubernetes.io/component'] ?? '';

/** The three peers of a destination that no value names: pods of the cluster, and IPv4 and IPv6 addresses outside. */
const ANYWHERE = new Set([
  '{"namespaceSelector":{}}',
  '{"ipBlock":{"cidr":"0.0.0.0/0","except":["169.254.0.0/16"]}}',
  '{"ipBlock":{"cidr":"::/0","except":["fe80::/10","fd00:ec2::/32"]}}',
]);

/** Peers of each component in one direction: `core:8081` for pods of the release, otherwise the peer as written. */
const paths = (objects: KubernetesObject[], direction: 'ingress' | 'egress'): Record<string, string[]> => {
  const pods = podsOf(objects);
  const name = (peer: Peer): string => {
    if (ANYWHERE.has(JSON.stringify(peer))) return 'anywhere but link-local';
    if (peer.podSelector?.matchLabels === undefined || peer.namespaceSelector !== undefined)
      return JSON.stringify(peer);
    const labels = peer.podSelector.matchLabels;
    const found = pods.filter((pod) => selects(labels, pod.labels)).map(componentOf);
    return found[0] ?? JSON.stringify(peer);
  };
  return Object.fromEntries(
    [...new Set(pods.map(componentOf))].map((component) => {
      const [pod] = pods.filter((one) => componentOf(one) === component);
      const rules = policies(objects)
        .filter(({ podSelector }) => selects(podSelector.matchLabels ?? {}, pod?.labels ?? {}))
        .flatMap((policy) => policy[direction] ?? []);
      const lines = rules.flatMap(({ from, to, ports = [] }) =>
        (from ?? to ?? [undefined]).flatMap((peer) =>
          ports.map(({ port }) => `${peer === undefined ? 'anywhere' : name(peer)}:${port}`),
        ),
      );
      return [component, [...new Set(lines.filter((line) => !line.endsWith(':53')))].sort()];
    }),
  );
};

const MONITORING = '{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}}:9090';
const SCRAPED = [MONITORING];

describe.each(Object.entries(installations).filter(([name]) => !name.startsWith('no network policies')))(
  '%s:',
  (_, values) => {
    let objects: KubernetesObject[];
    beforeAll(async () => {
      objects = await render(values);
    });

    test('traffic is denied unless a policy allows it, for every pod', () => {
      for (const { owner, labels } of podsOf(objects)) {
        const deny = policies(objects).filter(
          ({ podSelector, policyTypes, ingress, egress }) =>
            selects(podSelector.matchLabels ?? {}, labels) &&
            policyTypes.join() === 'Ingress,Egress' &&
            ingress === undefined &&
            egress === undefined,
        );
        expect(deny, owner.metadata.name).toHaveLength(1);
      }
    });

    test('only core and the migrations reach PostgreSQL, and only Prometheus reaches a worker', () => {
      const egress = paths(objects, 'egress');
      const reaching = Object.entries(egress)
        .filter(([, to]) => to.some((one) => /:(?:5432|5433|6432)$/.test(one)))
        .map(([component]) => component)
        .sort();
      const migrates = podsOf(objects).some((pod) => componentOf(pod) === 'migrate');
      expect(reaching).toEqual(migrates ? ['core', 'migrate'] : ['core']);
      expect(paths(objects, 'ingress')['worker']).toEqual(SCRAPED);
    });
  },
);

const outside = (...ports: number[]): string[] => ports.map((port) => `anywhere but link-local:${port}`);

test('no pod reaches a link-local address, where clouds serve credentials, unless the values name one', async () => {
  const linkLocal = ['169.254.169.254/32', '169.254.0.0/16', '0.0.0.0/0'];
  for (const values of Object.values(installations)) {
    const rules = policies(await render(values)).flatMap(({ egress = [] }) => egress);
    for (const { to } of rules) {
      // A rule without `to` allows all destinations.
      expect(to).toBeDefined();
      for (const { ipBlock } of to ?? [])
        if (ipBlock !== undefined && linkLocal.includes(ipBlock.cidr))
          expect(ipBlock.except).toContain('169.254.0.0/16');
    }
  }
  const opened = await render({
    ...external,
    networkPolicy: { s3: { to: [{ ipBlock: { cidr: '169.254.170.0/24' } }] } },
  });
  expect(paths(opened, 'egress')['core']).toContain('{"ipBlock":{"cidr":"169.254.170.0/24"}}:443');
});

test('with external services each part reaches the services that it needs, at the ports of their addresses', async () => {
  const objects = await render({ ...literal, ...model });
  expect(paths(objects, 'ingress')).toEqual({
    facade: ['anywhere:8080', ...SCRAPED],
    core: ['facade:8081', 'worker:8081', ...SCRAPED].sort(),
    worker: SCRAPED,
    migrate: [],
    test: [],
  });
  expect(paths(objects, 'egress')).toEqual({
    facade: [...outside(443, 4443), 'core:8081'],
    core: outside(443, 4443, 6432),
    worker: [...outside(443, 4443, 8000), 'core:8081'],
    migrate: outside(6432),
    test: ['facade:8080'],
  });
});

test('the desk reaches core, NATS and, for downloads of checked copies, the object store', async () => {
  const desk = { enabled: true, url: 'https://desk.example.org' };
  expect(paths(await render({ ...literal, ...model, desk }), 'egress')['desk']).toEqual([
    ...outside(443, 4443),
    'core:8081',
  ]);
  expect(paths(await render({ ...embedded, desk }), 'egress')['desk']).toEqual([
    'core:8081',
    'nats:4222',
    's3:7070',
  ]);
});

test('embedded services accept only the parts that use them; the object store accepts clients too', async () => {
  const objects = await render(embedded);
  const { facade, core, worker, migrate } = paths(objects, 'egress');
  expect({ facade, core, worker, migrate }).toEqual({
    facade: ['core:8081', 'nats:4222', 's3:7070'],
    core: ['nats:4222', 'postgresql:5432', 's3:7070'],
    worker: ['core:8081', 'nats:4222', 's3:7070'],
    migrate: ['postgresql:5432'],
  });
  const { postgresql, nats, s3 } = paths(objects, 'ingress');
  expect({ postgresql, nats, s3 }).toEqual({
    postgresql: ['core:5432', 'migrate:5432'],
    nats: ['core:4222', 'facade:4222', 'worker:4222'],
    s3: ['anywhere:7070'],
  });
});

test('with the baseline grader no egress to a model is allowed', async () => {
  expect(paths(await render(external), 'egress')['worker']).toEqual([...outside(4222, 443), 'core:8081']);
});

test('destinations in the values replace the rule that allows any destination', async () => {
  const objects = await render(installations['network policies that name everybody'] ?? {});
  const { core, worker, facade } = paths(objects, 'egress');
  for (const to of [...(core ?? []), ...(worker ?? []), ...(facade ?? [])])
    expect(to).not.toContain('anywhere');
  expect(core).toContain('{"ipBlock":{"cidr":"10.1.0.0/16"}}:5433');
  expect(paths(objects, 'ingress')['facade']).toEqual(
    ['test:8080', '{"namespaceSelector":{"matchLabels":{"name":"ingress"}}}:8080', ...SCRAPED].sort(),
  );
  expect(paths(objects, 'ingress')['core']).toContain('{"podSelector":{"matchLabels":{"app":"admin"}}}:8081');
});
