import { expect, test } from 'vitest';
import * as actual from '@evaluation/core-client/packed';
import type * as declared from '../../packages/core-client/packed/index.d.ts';
import type * as packed from '../../packages/core-client/packed/procedures.d.ts';
import type { Failure, Inputs, Outputs } from './surface.ts';

/*
 * The type check of this file fails when packages/core-client/packed/procedures.d.ts is out of date, which
 * `npm run generate:core-client` writes.
 */

/** `exams` of `exams.list`, and `list` of it, for the keys with a dot. */
type At<T, Path> = Path extends `${infer Head}.${infer Tail}`
  ? Head extends keyof T
    ? At<T[Head], Tail>
    : never
  : Path extends keyof T
    ? T[Path]
    : never;
type Flat<T, Paths extends string> = { [Path in Paths]: At<T, Path> };
/** Paths of the procedures: the places below which the output of a call begins. */
type PathsOf<T> = {
  [K in keyof T & string]: K extends 'authenticate' | 'refuse' | 'me' ? K : `${K}.${keyof T[K] & string}`;
}[keyof T & string];

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

const SAME: {
  paths: Same<keyof packed.Inputs, PathsOf<Inputs>>;
  inputs: Same<packed.Inputs, Flat<Inputs, keyof packed.Inputs>>;
  outputs: Same<packed.Outputs, Flat<Outputs, keyof packed.Outputs>>;
  failure: Same<packed.Failure, Failure>;
  declared: Same<keyof typeof declared, keyof typeof actual>;
} = { paths: true, inputs: true, outputs: true, failure: true, declared: true };

test('the packed client exports what its types declare', () => {
  expect(Object.values(SAME)).not.toContain(false);
  expect(Object.values(actual)).not.toContain(undefined);
});
