import { Anchor, List } from '@mantine/core';
import { useEffect, useRef, type MouseEvent } from 'react';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import type { ExamDraft } from './draft.ts';
import { placeOf } from './fieldNames.ts';
import type { Problems } from './problems.ts';

/** All problems of the form, each a link to its field. It has the focus after a save that was refused. */
export const ProblemSummary = ({
  draft,
  problems,
  refusals,
  onOpen,
}: {
  draft: ExamDraft;
  problems: Problems;
  /** Counts the saves that were refused. */
  refusals: number;
  onOpen: (field: string) => void;
}) => {
  const t = useText();
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusals > 0) summary.current?.focus();
  }, [refusals]);
  if (problems.size === 0) return null;
  const open = (event: MouseEvent, field: string): void => {
    event.preventDefault();
    onOpen(field);
  };
  return (
    <Notice ref={summary} kind="problem" title={t('exams.form.problems')}>
      <List size="sm">
        {[...problems].map(([field, message]) => (
          <List.Item key={field}>
            <Anchor
              inherit
              display="inline-block"
              mih={24}
              c="inherit"
              underline="always"
              href={`#${field}`}
              onClick={(event) => open(event, field)}
            >
              {placeOf(field, draft)}: {message}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Notice>
  );
};
