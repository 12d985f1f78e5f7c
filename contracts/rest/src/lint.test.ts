import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { BaseResolver, createConfig, lintDocument, makeDocumentFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';

const path = fileURLToPath(new URL('../openapi.json', import.meta.url));
const committed = await readFile(path, 'utf8');

/** Fails on a reference to another document, so that the linter does not use the network. */
class OwnPartsOnly extends BaseResolver {
  override loadExternalRef(address: string): never {
    throw new Error(`openapi.json refers to ${address}.`);
  }
}

/** No rule of Redocly is disabled; record an exception here with its reason. */
const problemsOf = async (document: string) => {
  const found = await lintDocument({
    document: makeDocumentFromString(document, path),
    externalRefResolver: new OwnPartsOnly(),
    config: await createConfig({ extends: ['recommended'] }),
  });
  return found.map(({ ruleId, severity, message, location: [place] }) => ({
    problem: `${severity} ${ruleId}`,
    at: place?.pointer,
    message,
  }));
};

const mistaken = (written: string, instead: string): string => {
  if (!committed.includes(written)) throw new Error(`openapi.json does not say ${written}.`);
  return committed.replace(written, instead);
};

describe('openapi.json in a public linter', () => {
  test('passes every recommended rule, with no error and no warning', async () => {
    expect(await problemsOf(committed)).toEqual([]);
  });

  test.each([
    ['a repeated operationId', '"exams.search"', '"exams.create"', 'error operation-operationId-unique'],
    [
      'a path parameter of another name',
      '"/exams/{examId}"',
      '"/exams/{id}"',
      'error path-parameters-defined',
    ],
    [
      'a tag without a description',
      '"description": "Scanned copies on their way in."',
      '"x": ""',
      'warn tag-description',
    ],
    [
      'an example of the wrong type',
      '"title": "Physics, unit 3 (resit)"',
      '"title": 3',
      'warn no-invalid-media-type-examples',
    ],
    [
      'an unresolved reference',
      '"#/components/schemas/Account"',
      '"#/components/schemas/Missing"',
      'error no-unresolved-refs',
    ],
  ])('is refused for %s', async (_, written, instead, problem) => {
    const problems = await problemsOf(mistaken(written, instead));
    expect(problems.map((found) => found.problem)).toContain(problem);
  });

  test('is refused for a reference to another document, which the linter does not load', async () => {
    const elsewhere = 'http://127.0.0.1:1/account.json';
    const [problem] = await problemsOf(mistaken('"#/components/schemas/Account"', `"${elsewhere}"`));
    expect(problem?.problem).toBe('error no-unresolved-refs');
    expect(problem?.message).toContain(`openapi.json refers to ${elsewhere}.`);
  });
});
