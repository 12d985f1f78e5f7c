import * as z from 'zod/v4';

/**
 * Bounds of a value that only the reader of a body needs, beyond those that a schema says in its own words and shows in
 * openapi.json. A longer text is refused by a rule of core.
 */
export const bodyBounds = z.registry<{ maxText?: number; isClientObject?: true }>();

/** An id or a label that names something stored: nothing stored has one that is longer than this. */
const LONGEST_NAME = 255;

/** A text that core compares with stored ids or labels. */
export const namesSomething = () => z.string().register(bodyBounds, { maxText: LONGEST_NAME });
