import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { KubernetesObject } from '../helm.ts';

interface Schemas {
  source: string;
  kinds: Record<string, object>;
  $defs: Record<string, object>;
}
const { kinds, $defs } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'schemas.json'), 'utf8'),
) as Schemas;
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
ajv.addSchema({ $id: 'kubernetes', $defs, kinds });

export const knownKinds = (): { apiVersion: string; kind: string }[] =>
  Object.keys(kinds).map((name) => {
    const [apiVersion = '', kind = ''] = name.split(' ');
    return { apiVersion, kind };
  });

/** Errors of an object that Kubernetes would refuse, and fields that it would drop silently; empty if valid. */
export const problemsOf = (object: KubernetesObject): string[] => {
  const kind = `${object.apiVersion} ${object.kind}`;
  if (kinds[kind] === undefined) return [`${kind} is none of the kinds in schemas.json`];
  const pointer = kind.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll(' ', '%20');
  const validate = ajv.getSchema(`kubernetes#/kinds/${pointer}`);
  if (validate === undefined) throw new Error(`no schema for ${kind}`);
  if (validate(object) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${object.kind} ${object.metadata.name} ${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
};
