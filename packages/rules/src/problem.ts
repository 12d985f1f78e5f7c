import type { Problem } from '@evaluation/rest-contract/field-errors';

/** A problem with the error code of its request; rules with an error code of their own also set `failure`. */
export const problem = (field: string, code: string, message: string): Problem => ({ field, code, message });

export const duplicate = (field: string, message: string): Problem => problem(field, 'duplicate', message);
