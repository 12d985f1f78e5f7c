import { NOTICE } from './baseline/notice.ts';

/** The `notice` of a grader by its `provider`, for places without the grader itself. */
export const noticeOf = (provider: string): string | null => (provider === 'baseline' ? NOTICE : null);
