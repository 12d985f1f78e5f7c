import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

/**
 * Makes `schemas.json` from swagger.json of Kubernetes and the custom resource definitions of the Prometheus operator,
 * KEDA and the Gateway API. Run by hand when a version is raised:
 *   node tests/chart/kubernetes/makeSchemas.ts VERSIONS swagger.json CRD.yaml…
 * VERSIONS is the text that `schemas.json` names as its source. Descriptions and status are left out. Objects with
 * named fields are closed: Kubernetes drops unknown fields silently, so a misspelt field in a template would go
 * unnoticed.
 */
type Schema = { [key: string]: unknown };
interface CustomResource {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.apps.v1.StatefulSet',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.batch.v1.Job',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Pod',
  'io.k8s.api.core.v1.Secret',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.Ingress',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
] as const;
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const OMITTED = new Set(['description', 'default', 'example', 'x-kubernetes-validations']);

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema without descriptions, closed to other fields, with references into `$defs`. */
const closed = (schema: Schema): Schema => {
  const made: Schema = {};
  const intOrString = schema['format'] === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true;
  for (const [key, value] of Object.entries(schema)) {
    if (OMITTED.has(key) || key === 'format' || key.startsWith('x-kubernetes-')) continue;
    if (intOrString && (key === 'type' || key === 'anyOf')) continue;
    // Skip patterns in Go's own notation; JSON Schema validators cannot read them.
    if (key === 'pattern' && String(value).includes('(?')) continue;
    if (key === '$ref') made[key] = String(value).replace('#/definitions/', '#/$defs/');
    else if (key === 'properties' && isObject(value))
      made[key] = Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => name !== 'status' && name !== 'managedFields')
          .map(([name, property]) => [name, closed(property as Schema)]),
      );
    else if (isObject(value)) made[key] = closed(value);
    else if (Array.isArray(value)) made[key] = value.map((item) => (isObject(item) ? closed(item) : item));
    else made[key] = value;
  }
  if (intOrString) made['type'] = ['integer', 'string'];
  if (isObject(made['properties']) && schema['x-kubernetes-preserve-unknown-fields'] !== true)
    made['additionalProperties'] = false;
  return made;
};

const [versions, swaggerFile, ...crdFiles] = process.argv.slice(2);
if (versions === undefined || swaggerFile === undefined) throw new Error('VERSIONS swagger.json CRD.yaml…');
const { definitions } = JSON.parse(await readFile(swaggerFile, 'utf8')) as {
  definitions: Record<string, Schema>;
};
const $defs: Record<string, Schema> = {};
const take = (name: string): void => {
  if ($defs[name] !== undefined) return;
  const definition = definitions[name];
  if (definition === undefined) throw new Error(`no definition ${name}`);
  $defs[name] = closed(definition);
  for (const [, next] of JSON.stringify($defs[name]).matchAll(/#\/\$defs\/([^"]+)"/g)) take(String(next));
};
const kinds: Record<string, Schema> = {};
for (const name of KINDS) {
  take(name);
  const meanings = definitions[name]?.['x-kubernetes-group-version-kind'] as
    | Record<'group' | 'version' | 'kind', string>[]
    | undefined;
  if (meanings?.[0] === undefined) throw new Error(`${name} is no kind`);
  const { group, version, kind } = meanings[0];
  kinds[`${group === '' ? version : `${group}/${version}`} ${kind}`] = { $ref: `#/$defs/${name}` };
}
for (const file of crdFiles) {
  const { spec } = parse(await readFile(file, 'utf8')) as CustomResource;
  for (const version of spec.versions) {
    const schema = closed(version.schema.openAPIV3Schema);
    kinds[`${spec.group}/${version.name} ${spec.names.kind}`] = {
      ...schema,
      properties: { ...(schema['properties'] as Schema), metadata: { $ref: `#/$defs/${META}` } },
    };
  }
}
await writeFile(
  join(import.meta.dirname, 'schemas.json'),
  `${JSON.stringify({ source: versions, kinds, $defs })}\n`,
);
