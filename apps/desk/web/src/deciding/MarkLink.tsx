import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ReviewSearch } from '../app/reviewSearch.ts';

export const MarkLink = ({
  examId,
  submissionId,
  questionId,
  review,
  label,
  children,
}: {
  examId: string;
  submissionId: string;
  questionId?: string | undefined;
  /** Filters of the review page, whose list *Next* follows. */
  review?: ReviewSearch;
  /** Name for screen readers, if the text alone does not say which copy it is. */
  label?: string;
  children: ReactNode;
}) => {
  const search = {
    submission: submissionId,
    ...(questionId === undefined ? {} : { question: questionId }),
    ...(review === undefined ? {} : { review }),
  };
  return (
    <Anchor
      underline="always"
      aria-label={label}
      renderRoot={(props) => <Link {...props} to="/exams/$id/mark" params={{ id: examId }} search={search} />}
    >
      {children}
    </Anchor>
  );
};
