import type { QueryClient } from '@tanstack/react-query';

/*
 * Keeps open pages up to date. The server sends the ids of changed exams and copies; queries that name one of them, or
 * no id at all, are read again. All queries on the screen are also read again at intervals, which are shorter without
 * the stream.
 *
 * The stream: open ──lost──▶ the browser connects again by itself ──▶ open
 *                                └─ an answer that is no stream, such as 503 ──▶ closed ──next refresh──▶ opened anew
 */

interface Change {
  exam_ids: readonly string[];
  submission_ids: readonly string[];
  more: boolean;
}

/** Changes of this time are one refresh, so that a busy exam does not make a page read without pause. */
const COLLECT_MS = 1000;
/** Interval of reading again while the stream is open, because messages may be lost. */
const WITH_STREAM_MS = 60_000;
const WITHOUT_STREAM_MS = 10_000;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** @returns a function that ends the updates */
export const followChanges = (queryClient: QueryClient): (() => void) => {
  const changed = new Set<string>();
  let isMore = false;
  let collecting: number | undefined;
  let polling: number | undefined;
  const refresh = (mayRead: (key: string) => boolean): void => {
    if (document.visibilityState === 'hidden') return;
    void queryClient.invalidateQueries({
      type: 'active',
      predicate: ({ queryKey }) => queryKey[0] !== 'session' && mayRead(JSON.stringify(queryKey)),
    });
  };
  const refreshChanged = (): void => {
    collecting = undefined;
    const ids = [...changed];
    const all = isMore;
    changed.clear();
    isMore = false;
    refresh((key) => all || !ID.test(key) || ids.some((id) => key.includes(id)));
  };
  /** Changes may have been missed since the last refresh. */
  let hasGap = false;
  const openStream = (): EventSource => {
    const opened = new EventSource('/events');
    opened.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const change: Change = JSON.parse(data);
      for (const id of [...change.exam_ids, ...change.submission_ids]) changed.add(id);
      isMore ||= change.more;
      collecting ??= window.setTimeout(refreshChanged, COLLECT_MS);
    });
    opened.addEventListener('open', () => {
      if (hasGap) refresh(() => true);
      hasGap = false;
    });
    opened.addEventListener('error', () => {
      hasGap = true;
      if (isPollingSlowly) poll();
    });
    return opened;
  };
  let stream = openStream();
  let isPollingSlowly = false;
  const poll = (): void => {
    window.clearTimeout(polling);
    isPollingSlowly = stream.readyState === EventSource.OPEN;
    polling = window.setTimeout(
      () => {
        refresh(() => true);
        if (stream.readyState === EventSource.CLOSED) stream = openStream();
        poll();
      },
      isPollingSlowly ? WITH_STREAM_MS : WITHOUT_STREAM_MS,
    );
  };
  poll();
  return () => {
    stream.close();
    window.clearTimeout(collecting);
    window.clearTimeout(polling);
  };
};
