import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export const MarkLink = ({
  examId,
  submissionId,
  questionId,
  label,
  children,
}: {
  examId: string;
  submissionId: string;
  questionId?: string | undefined;
  /** Name for screen readers, if the text alone does not say which copy it is. */
  label?: string;
  children: ReactNode;
}) => {
  const search = { submission: submissionId, ...(questionId === undefined ? {} : { question: questionId }) };
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
