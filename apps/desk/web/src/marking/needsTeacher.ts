import type { Screen, ScreenQuestion } from './types.ts';

/** False once a teacher has marked or approved the answer, and for a mark by the key that nothing speaks against. */
export const needsTeacher = (screen: Pick<Screen, 'approved'>, { result }: ScreenQuestion): boolean =>
  !screen.approved && !result.review.edited && (result.needs_review || result.source !== 'auto');
