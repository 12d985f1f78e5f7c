import { useInfiniteQuery, type InfiniteData, type QueryKey } from '@tanstack/react-query';
import type { PagedQuery } from './MoreButton.tsx';

/** Rows of a list that is read page by page, as a component shows them. */
export interface Pages<Row> {
  rows: Row[];
  error: Error | null;
  isLoading: boolean;
  list: PagedQuery;
}

/**
 * Reads a list of core page by page.
 * @param options.read reads the page after a position; null is the first page
 */
export const usePages = <Row, Position>(options: {
  key: QueryKey;
  read: (position: Position | null) => Promise<{ data: Row[]; next: Position | null }>;
}): Pages<Row> => {
  type Page = Awaited<ReturnType<typeof options.read>>;
  const query = useInfiniteQuery<Page, Error, InfiniteData<Page>, QueryKey, { position: Position | null }>({
    queryKey: options.key,
    queryFn: ({ pageParam }) => options.read(pageParam.position),
    initialPageParam: { position: null },
    getNextPageParam: ({ next }) => (next === null ? null : { position: next }),
  });
  return {
    rows: query.data?.pages.flatMap((page) => page.data) ?? [],
    error: query.error,
    isLoading: query.isLoading,
    list: query,
  };
};
