import { coreRouter } from '@evaluation/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { calls as release_0_1_0 } from './recorded/calls-0.1.0.ts';

/*
 * Calls of earlier facades and workers against this core (docs/compatibility.md). The compiler checks core's answers:
 * each recorded answer `satisfies` the type of the procedure, so a removed field, or a field that an older core does
 * not send and this caller needs, does not compile.
 */

const recorded = Object.entries({ '0.1.0': release_0_1_0 }).flatMap(([release, calls]) =>
  Object.entries(calls).map(([path, { input }]) => [release, path, input] as const),
);

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

describe.each(recorded)('%s %s', (_release, path, input) => {
  test('exists and accepts the recorded input', () => {
    const schema = inputOf(path);
    if (schema === null)
      throw new Error(`${path} does not exist: callers of an earlier release still use it`);
    expect(schema.safeParse(input).error).toBeUndefined();
  });

  test('ignores unknown fields of a later caller', () => {
    const more = typeof input === 'object' && input !== null ? { ...input, of_a_later_release: 1 } : input;
    expect(inputOf(path)?.safeParse(more).error).toBeUndefined();
  });
});

test('the record contains calls of every part: runs, inspections, drawings, and those of the facade', () => {
  const paths = Object.keys(release_0_1_0);
  for (const path of [
    'grading.claim',
    'grading.complete',
    'grading.handBack',
    'grading.heartbeat',
    'grading.recordDrawing',
    'grading.recordInspection',
    'grading.recordQuestion',
    'public.authenticate',
    'public.submissions.create',
  ])
    expect(paths).toContain(path);
  for (const path of paths) expect(inputOf(path), path).not.toBeNull();
});
