import { useMutation } from '@tanstack/react-query';
import type { DescribedCandidate } from './candidateFields.ts';
import { compareCandidates } from './compareCandidates.ts';

/** The latest comparison of a file with the stored candidates; `reset` drops it. */
export const useComparison = () =>
  useMutation({
    mutationFn: (described: readonly DescribedCandidate[]) => compareCandidates(described),
  });
