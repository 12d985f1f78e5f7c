/** Several scrapers, and several scrapes of one, share a look at the source. */
const FRESH_MS = 5000;
/** What was read longer ago, because reading hangs, is no news any more. */
const STALE_MS = 60_000;

/**
 * Gauges that are read from somewhere when they are asked for. Where that fails their series vanish: an alert or a scaler
 * can tell that nothing is known, which a number of an hour ago would hide.
 * @returns brings them up to date. @throws what `read` throws
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
