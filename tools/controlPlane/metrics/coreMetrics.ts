/** `max(METRIC{lane="LANE"})` over core's pods; null without any pod that answers. */
export const highestOf = async (
  urls: readonly string[],
  metric: string,
  lane: string,
): Promise<string | null> => {
  const line = new RegExp(`^${metric}\\{[^}]*lane="${lane}"[^}]*\\} (\\S+)$`, 'gm');
  const values: number[] = [];
  for (const url of urls) {
    const text = await fetch(url, { signal: AbortSignal.timeout(2_000) })
      .then((response) => response.text())
      .catch(() => '');
    for (const [, value = '0'] of text.matchAll(line)) values.push(Number(value));
  }
  return values.length === 0 ? null : String(Math.max(...values));
};
