import * as z from 'zod/v4';

/**
 * Bounds that only the reader of a body uses, in addition to those of the schema, which openapi.json shows. A longer
 * text is refused by a rule of core.
 */
export const bodyBounds = z.registry<{ maxText?: number; isClientObject?: true }>();

/** Bound of an id or label: no stored one is longer. */
const LONGEST_NAME = 255;

/** A text that core compares with stored ids or labels. */
export const namesSomething = () => z.string().register(bodyBounds, { maxText: LONGEST_NAME });
