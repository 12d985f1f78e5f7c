import { Decimal } from 'decimal.js';

/** Converts marks or credits to an exact decimal. The API uses numbers (docs/architecture.md#marks-and-credits). */
export const exact = (value: Decimal.Value): Decimal => new Decimal(value);

export const sum = (values: readonly Decimal.Value[]): Decimal =>
  values.reduce<Decimal>((total, value) => total.plus(value), new Decimal(0));

export const addUp = (values: readonly Decimal.Value[]): number => sum(values).toNumber();
