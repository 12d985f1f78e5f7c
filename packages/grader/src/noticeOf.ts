import { NOTICE } from './baseline/notice.ts';

/** What a copy says of who marked it: a grader's `notice` by its `provider`, also where that grader is not at hand. */
export const noticeOf = (provider: string): string | null => (provider === 'baseline' ? NOTICE : null);
