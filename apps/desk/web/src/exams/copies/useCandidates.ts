import { useQuery } from '@tanstack/react-query';
import { calls, client } from '../../app/calls.ts';
import type { CopyOfCandidate } from '../types.ts';

const PAGE = 500;

/** Reads all candidates of an exam with their copies, page by page. */
export const readCandidates = async (examId: string): Promise<CopyOfCandidate[]> => {
  const all: CopyOfCandidate[] = [];
  for (let cursor: string | null = null; ;) {
    const page: { data: CopyOfCandidate[]; next_cursor: string | null } =
      await client.desk.exams.markBook.query({
        exam_id: examId,
        limit: PAGE,
        marks: false,
        ...(cursor === null ? {} : { cursor }),
      });
    all.push(...page.data);
    cursor = page.next_cursor;
    if (cursor === null) return all;
  }
};

/** All candidates of an exam, to whom files and rows of a table are matched. */
export const useCandidates = (examId: string) =>
  useQuery({
    queryKey: [...calls.desk.exams.markBook.pathKey(), 'all', examId],
    queryFn: () => readCandidates(examId),
    staleTime: 30_000,
  });

/** Name of a candidate in a list of choices. */
export const candidateName = ({ candidate }: CopyOfCandidate): string =>
  [candidate.name, candidate.roll_number, candidate.external_id]
    .filter((part, index, parts) => part !== null && part !== '' && parts.indexOf(part) === index)
    .join(' · ');
