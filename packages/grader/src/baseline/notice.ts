export const NOTICE =
  'The offline baseline is marking: it compares words and reads handwriting poorly, so every mark needs a teacher.';

/** The `notice` of a grader by its `provider`, for places without the grader itself. */
export const noticeOf = (provider: string): string | null => (provider === 'baseline' ? NOTICE : null);
