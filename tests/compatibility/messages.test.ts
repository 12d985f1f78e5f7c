import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlMessages, laneJobs } from '@evaluation/jobs-contract';
import { beforeAll, describe, expect, test } from 'vitest';

/*
 * Messages of earlier releases in their wire format, against the readers and writers of this release: during an upgrade
 * both run, and jobs of the older release wait in the lanes (docs/compatibility.md).
 */

const codecs = [...new Set([...Object.values(laneJobs), ...Object.values(controlMessages)])];
const folder = join(import.meta.dirname, 'recorded');
let recorded: Map<string, Record<string, unknown>>;

beforeAll(async () => {
  const files = (await readdir(folder)).filter((name) => name.startsWith('messages-'));
  recorded = new Map(
    await Promise.all(
      files.map(async (name): Promise<[string, Record<string, unknown>]> => [
        name,
        JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, unknown>,
      ]),
    ),
  );
  expect(recorded.size).toBeGreaterThan(0);
});

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const withMore = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withMore);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries([
    ...Object.entries(value).map(([name, one]) => [name, withMore(one)]),
    ['of_a_later_release', { any: 'thing' }],
  ]);
};

describe.each(codecs.map((codec) => [codec.name, codec] as const))('%s', (name, codec) => {
  test('a message of each recorded release is read with the same meaning', () => {
    for (const [release, messages] of recorded) {
      const message = messages[name];
      if (message === undefined) continue;
      expect(codec.decode(bytes(message)), release).toMatchObject(Object(message));
    }
  });

  test('fields of a later release are ignored, at every depth', () => {
    for (const messages of recorded.values()) {
      const message = messages[name];
      if (message === undefined) continue;
      expect(codec.decode(bytes(withMore(message)))).toEqual(codec.decode(bytes(message)));
    }
  });

  test('the newest recorded release has this message', () => {
    const newest = [...recorded.keys()]
      .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
      .at(-1);
    expect(recorded.get(newest ?? '')).toHaveProperty(name);
  });
});
