/*
 * Preloaded into a process (`node --import`) whose clock the plan sets wrong: shifts `Date` by CHAOS_CLOCK_MS
 * milliseconds. Timers and performance.now() keep running as they are.
 */
const shiftMs = Number(process.env['CHAOS_CLOCK_MS'] ?? 0);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, values: unknown[], itself) =>
    Reflect.construct(target, values.length === 0 ? [RealDate.now() + shiftMs] : values, itself),
  apply: () => new RealDate(RealDate.now() + shiftMs).toString(),
  get: (target, name, itself) =>
    name === 'now' ? () => RealDate.now() + shiftMs : Reflect.get(target, name, itself),
});
