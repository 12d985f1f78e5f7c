import { useQuery } from '@tanstack/react-query';
import { client } from '../../app/calls.ts';
import type { CopyFile } from './copyFile.ts';

const PAUSE_MS = 2000;
/** The worker reads within 30 s of the check, or not at all. */
const MOST_READS = 20;
/** Most uploads of one call. */
const MOST_UPLOADS = 500;
const NONE: ReadonlyMap<string, string[]> = new Map();

/**
 * What was read at the top of the first pages of files without a candidate. Numbers come some seconds after the check.
 * @returns numbers by id of the upload
 */
export const useHeadings = (files: readonly CopyFile[]): ReadonlyMap<string, string[]> => {
  const ids = files
    .flatMap(({ step, uploadId }) => (step === 'ready' && uploadId !== null ? [uploadId] : []))
    .slice(0, MOST_UPLOADS);
  const headings = useQuery({
    queryKey: ['headings', ids],
    queryFn: async () => {
      const read = await client.desk.uploads.headings.query({ upload_ids: ids });
      return new Map(read.map(({ upload_id, heading }) => [upload_id, heading]));
    },
    enabled: ids.length > 0,
    refetchInterval: ({ state }) =>
      (state.data?.size ?? 0) < ids.length && state.dataUpdateCount < MOST_READS ? PAUSE_MS : false,
    placeholderData: (before) => before,
    retry: false,
    gcTime: 0,
  });
  return headings.data ?? NONE;
};
