import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { coreRouter } from '@evaluation/core';
import { expect, test } from 'vitest';
import * as z from 'zod/v4';

/*
 * Calls of earlier facades and workers against this core (docs/compatibility.md). The compiler checks core's answers:
 * each recorded answer `satisfies` the type of the procedure, so a removed field, or a field that an older core does
 * not send and this caller needs, does not compile.
 */

/** Calls by release and procedure, from recorded/calls-<release>.ts. The first tag is the first release recorded. */
const RECORDED: Readonly<Record<string, Readonly<Record<string, { input: unknown }>>>> = {};

/** tRPC keeps the input schemas of a procedure in its definition, and procedures by their full path. */
const inputOf = (path: string): z.ZodType | null => {
  const procedures: unknown = coreRouter._def.procedures;
  const procedure: unknown = Reflect.get(Object(procedures), path);
  if (procedure === undefined) return null;
  const inputs: unknown = Reflect.get(Object(Reflect.get(Object(procedure), '_def')), 'inputs');
  const schemas: unknown[] = Array.isArray(inputs) ? inputs : [];
  const [schema] = schemas;
  return schema instanceof z.ZodType ? schema : z.unknown();
};

test('every recording of a release is checked here', async () => {
  const files = (await readdir(join(import.meta.dirname, 'recorded'))).filter((name) =>
    name.startsWith('calls-'),
  );
  expect(files.toSorted()).toEqual(
    Object.keys(RECORDED)
      .map((release) => `calls-${release}.ts`)
      .toSorted(),
  );
});

test('recorded calls have their procedure, which accepts them, also with unknown fields of a later caller', () => {
  for (const [release, calls] of Object.entries(RECORDED)) {
    for (const [path, { input }] of Object.entries(calls)) {
      const schema = inputOf(path);
      if (schema === null) throw new Error(`${path} does not exist: callers of release ${release} use it`);
      const more = typeof input === 'object' && input !== null ? { ...input, of_a_later_release: 1 } : input;
      for (const sent of [input, more])
        expect(schema.safeParse(sent).error, `${release} ${path}`).toBeUndefined();
    }
  }
});
