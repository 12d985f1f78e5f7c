import type * as z from 'zod/v4';
import { errors, type ErrorCode, type FieldError } from './errors.ts';

/** A field error; `failure` is set if the rule has an error code of its own, such as `rubric_marks_mismatch`. */
export interface Problem extends FieldError {
  failure?: ErrorCode;
}

/** Converts `['questions', 3, 'options', 0, 'label']` to `questions[3].options[0].label`. */
export const fieldPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (field, part) =>
      typeof part === 'number'
        ? `${field}[${part}]`
        : field === ''
          ? String(part)
          : `${field}.${String(part)}`,
    '',
  );

const isErrorCode = (value: unknown): value is ErrorCode => typeof value === 'string' && value in errors;

/** Converts the issues of a schema to field errors (docs/api/conventions.md#errors, `validation_failed`). */
export const problemsOf = (error: z.ZodError, body: unknown): Problem[] =>
  error.issues.flatMap((issue) => problemsOfIssue(issue, body));

const problemsOfIssue = (issue: z.core.$ZodIssue, body: unknown): Problem[] => {
  const field = fieldPath(issue.path);
  const one = (code: string, message: string): Problem[] => [{ field, code, message }];
  switch (issue.code) {
    case 'custom': {
      const failure: unknown = issue.params?.['failure'];
      const code: unknown = issue.params?.['code'];
      if (isErrorCode(failure)) return [{ field, code: failure, message: issue.message, failure }];
      return one(typeof code === 'string' ? code : 'invalid_value', issue.message);
    }
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        field: fieldPath([...issue.path, key]),
        code: 'unknown_field',
        message: 'This field is not known.',
      }));
    case 'invalid_type':
      return isMissing(body, issue.path)
        ? one('required', 'This field is required.')
        : one('invalid_type', `Expected ${issue.expected}.`);
    case 'invalid_value':
      return isMissing(body, issue.path)
        ? one('required', 'This field is required.')
        : one('invalid_value', `One of: ${issue.values.map(String).join(', ')}.`);
    case 'invalid_union':
      return isMissing(body, issue.path)
        ? one('required', 'This field is required.')
        : (problemsOfBranch(issue, body) ?? one('invalid_value', issue.message));
    case 'too_big':
      return one(
        issue.origin === 'number' || issue.origin === 'int' ? 'out_of_range' : 'too_long',
        issue.message,
      );
    case 'too_small':
      return one(
        issue.origin === 'number' || issue.origin === 'int' ? 'out_of_range' : 'too_short',
        issue.message,
      );
    default:
      return one('invalid_value', issue.message);
  }
};

const problemsOfBranch = (issue: z.core.$ZodIssueInvalidUnion, body: unknown): Problem[] | null => {
  const branch = issue.errors.find(
    (issues) =>
      issues.length > 0 && !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  if (branch === undefined) return null;
  return branch.flatMap((inner) => problemsOfIssue({ ...inner, path: [...issue.path, ...inner.path] }, body));
};

/** Whether the path has no value, in which case the error is `required` and not `invalid_type`. */
const isMissing = (body: unknown, path: readonly PropertyKey[]): boolean => {
  let value: unknown = body;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return true;
    value = Reflect.get(value, part);
  }
  return value === undefined;
};
