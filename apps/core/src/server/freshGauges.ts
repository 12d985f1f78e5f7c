/** Time for which a reading counts as fresh, so that scrapes shortly after each other share one reading. */
const FRESH_MS = 5000;
/** Age at which the old values are removed even if the next reading hangs. */
const STALE_MS = 60_000;

/**
 * Reads gauges from a source on scrape. If reading fails, their series are removed, so that alerts see missing data and
 * no outdated numbers. @returns a function that updates the gauges and throws what `read` throws
 */
export const freshGauges = (
  gauges: readonly { reset(): void }[],
  read: () => Promise<void>,
): (() => Promise<void>) => {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const forget = (): void => {
    for (const gauge of gauges) gauge.reset();
  };
  const readNow = async (): Promise<void> => {
    try {
      await read();
      readAt = performance.now();
    } catch (error) {
      forget();
      throw error;
    } finally {
      reading = null;
    }
  };
  return async () => {
    const age = performance.now() - readAt;
    if (age < FRESH_MS) return;
    if (age > STALE_MS) forget();
    await (reading ??= readNow());
  };
};
