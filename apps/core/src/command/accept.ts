import { DomainFailure } from '@evaluation/rest-contract/errors';
import { exactTextOf } from '@evaluation/rest-contract/exact-json';
import { fieldPath, problemsOf, type Problem } from '@evaluation/rest-contract/field-errors';
import { listsTooLong } from '@evaluation/rest-contract/list-lengths';
import { readable, type Parts } from '@evaluation/rules';
import { finishInSlices } from '@evaluation/platform/turns';
import type * as z from 'zod/v4';

/**
 * Parses the body of a command: first the lengths of lists, then characters and numbers that cannot be stored, then the
 * schema. Commands call it after they have checked that the resource in the path exists and can be changed
 * (docs/architecture.md#order-of-checks).
 * @param others rules beyond the schema. They run on the parts that could be parsed, and only for a body that is
 * refused anyway: then all problems are listed at once. A command checks these rules itself for a body that passes.
 * @throws DomainFailure with all problems in `details.errors`
 */
export const accept = <S extends z.ZodType>(
  schema: S,
  body: unknown,
  others: (parts: Parts<z.output<S>>) => Problem[] = () => [],
): z.output<S> => {
  const steps = acceptSteps(schema, body, others);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

/** `accept` for bodies that may be large: other requests run between its steps. The longest step takes 0.2 s. */
export const acceptInSlices = <S extends z.ZodType>(
  ...asked: Parameters<typeof accept<S>>
): Promise<z.output<S>> => finishInSlices(acceptSteps(...asked), 0);

function* acceptSteps<S extends z.ZodType>(
  schema: S,
  body: unknown,
  others: (parts: Parts<z.output<S>>) => Problem[] = () => [],
): Generator<void, z.output<S>> {
  // A missing body counts as `{}`. `null` is passed to the schema, which refuses it.
  const sent = body === undefined ? {} : body;
  // Lengths are checked first, so that a list of a million items is neither parsed nor reported item by item.
  const tooLong = listsTooLong(schema, sent);
  if (tooLong.length > 0) return refuse(tooLong);
  const problems: Problem[] = [];
  findUnstorable(sent, [], problems);
  yield;
  const parsed = schema.safeParse(sent);
  if (parsed.success && problems.length === 0) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  const reported = new Set(problems.map(({ field }) => field));
  const ofSchema =
    parsed.error === undefined
      ? []
      : problemsOf(parsed.error, sent).filter(({ field }) => !reported.has(field));
  return refuse([...problems, ...ofSchema, ...others(readable(sent, issues))]);
}

/** Bound of the problems in one answer, so that a hostile body does not cause an answer many times its size. */
const MAX_PROBLEMS = 1000;

/**
 * Throws a DomainFailure with at most `MAX_PROBLEMS` problems. If every problem belongs to a rule with an error code of
 * its own (such as `rubric_marks_mismatch`), the first problem's code is the code of the error; otherwise the code is
 * `validation_failed`.
 */
export const refuse = (found: readonly Problem[], question?: { label: string }): never => {
  const problems = found.slice(0, MAX_PROBLEMS);
  const all = problems.map(({ field, code, message }) => ({ field, code, message }));
  const first = problems[0]?.failure;
  if (first === undefined || problems.some(({ failure }) => failure === undefined)) {
    throw new DomainFailure('validation_failed', { details: { errors: all } });
  }
  switch (first) {
    case 'language_not_supported':
      throw new DomainFailure(first, {
        details: { ...(question === undefined ? {} : { question_label: question.label }), errors: all },
      });
    case 'unknown_option_label':
    case 'rubric_marks_mismatch':
    case 'rubric_duplicate_criterion':
    case 'rubric_guidance_has_marks':
    case 'feature_not_available':
      throw new DomainFailure(first, { details: { errors: all } });
    default:
      throw new DomainFailure('validation_failed', { details: { errors: all } });
  }
};

export const refuseField = (field: string, code: string, message: string): never =>
  refuse([{ field, code, message }]);

/** Levels of nested lists and objects. The facade lets 1,100 through; without a bound the walk exhausts the stack. */
const MAX_LEVELS = 1200;

/** For input whose schema is not known yet. @throws DomainFailure validation_failed */
export const refuseUnstorable = (input: unknown): void => {
  const problems: Problem[] = [];
  findUnstorable(input, [], problems);
  if (problems.length > 0) refuse(problems);
};

/**
 * Collects values and field names that cannot be stored and returned as sent (docs/architecture.md#request-bodies):
 * NUL, lone surrogates, and numbers such as 1e400 that are parsed as Infinity.
 * @throws DomainFailure validation_failed for a value that is nested too deep
 * @param path path of `value`; changed during the walk and restored before the return
 */
const findUnstorable = (value: unknown, path: PropertyKey[], problems: Problem[]): void => {
  if (problems.length >= MAX_PROBLEMS) return;
  if (path.length > MAX_LEVELS) {
    // Throws here, because a schema that measures the value would exhaust the stack.
    const message = `Cannot be nested deeper than ${MAX_LEVELS} levels.`;
    refuseField(fieldPath(path.slice(0, 1)), 'invalid_value', message);
  }
  if (typeof value === 'string') {
    if (isUnstorableText(value)) {
      problems.push({
        field: fieldPath(path),
        code: 'invalid_characters',
        message: 'Cannot contain NUL or half a surrogate pair.',
      });
    }
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) {
      problems.push({
        field: fieldPath(path),
        code: 'invalid_value',
        message: 'The number is too large to be held.',
      });
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) findWithin(item, index, path, problems);
  } else if (typeof value === 'object' && value !== null) {
    const text = exactTextOf(value);
    if (text !== null) {
      findUnstorable(parsedOrNull(text), path, problems);
      return;
    }
    for (const name of Object.keys(value)) {
      if (isUnstorableText(name)) {
        problems.push({
          field: fieldPath(path),
          code: 'invalid_characters',
          message: 'A field name has NUL or half a surrogate pair.',
        });
      }
      findWithin(Reflect.get(value, name), name, path, problems);
    }
  }
};

const findWithin = (value: unknown, at: PropertyKey, path: PropertyKey[], problems: Problem[]): void => {
  path.push(at);
  findUnstorable(value, path, problems);
  path.pop();
};

const isUnstorableText = (text: string): boolean => text.includes('\u0000') || !text.isWellFormed();

/** Returns null for invalid JSON; the schema refuses that value later. */
const parsedOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Checks the form of an id. A malformed id gets the same answer as an id that does not exist
 * (docs/architecture.md#order-of-checks).
 */
export const isUuid = (value: string): boolean => UUID.test(value);
