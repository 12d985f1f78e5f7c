import type { QueryClient } from '@tanstack/react-query';

/*
 * Keeps open pages up to date. The server sends the ids of changed exams and copies; queries that name one of them, or
 * no id at all, are read again. Without the stream, and now and then with it, all queries on the screen are read again.
 */

interface Change {
  exam_ids: readonly string[];
  submission_ids: readonly string[];
  more: boolean;
}

/** Changes of this time are one refresh, so that a busy exam does not make a page read without pause. */
const COLLECT_MS = 1000;
/** While the stream is open, for messages that were lost. */
const WITH_STREAM_MS = 60_000;
const WITHOUT_STREAM_MS = 10_000;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** @returns a function that ends it */
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
  const stream = new EventSource('/events');
  const isOpen = () => stream.readyState === EventSource.OPEN;
  const poll = (): void => {
    polling = window.setTimeout(
      () => {
        refresh(() => true);
        poll();
      },
      isOpen() ? WITH_STREAM_MS : WITHOUT_STREAM_MS,
    );
  };
  stream.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const change: Change = JSON.parse(data);
    for (const id of [...change.exam_ids, ...change.submission_ids]) changed.add(id);
    isMore ||= change.more;
    collecting ??= window.setTimeout(refreshChanged, COLLECT_MS);
  });
  // Messages before the stream opened again were missed.
  let wasOpen = false;
  stream.addEventListener('open', () => {
    if (wasOpen) refresh(() => true);
    wasOpen = true;
  });
  poll();
  return () => {
    stream.close();
    window.clearTimeout(collecting);
    window.clearTimeout(polling);
  };
};
