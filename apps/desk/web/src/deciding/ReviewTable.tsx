import { Button, List, Table, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useText } from '../app/language.ts';
import type { Queued } from './answers.ts';
import { MarkLink } from './MarkLink.tsx';
import { PagesOfCopy } from './PagesOfCopy.tsx';
import type { ReviewSearch } from '../app/reviewSearch.ts';
import { reasonText } from '../app/reviewReasons.ts';
import { TableBox } from '../app/TableBox.tsx';

export const ReviewTable = ({
  rows,
  filters,
}: {
  rows: readonly Queued[];
  /** *Next* on the marking screen follows the same list. */
  filters: ReviewSearch;
}) => {
  const t = useText();
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <TableBox
      caption={t('deciding.review.caption')}
      minWidth={700}
      columns={[
        t('deciding.review.candidate'),
        t('deciding.review.exam'),
        t('deciding.review.why'),
        t('deciding.review.pages'),
        t('deciding.review.action'),
      ]}
    >
      {rows.map((row) => {
        const isOpen = opened === row.submission_id;
        return (
          <Fragment key={row.submission_id}>
            <Table.Tr>
              <Table.Th scope="row">
                {row.candidate.name ?? row.candidate.external_id}
                {row.candidate.roll_number === null ? null : (
                  <Text size="sm">{t('deciding.review.roll', { roll: row.candidate.roll_number })}</Text>
                )}
              </Table.Th>
              <Table.Td>{row.exam.title}</Table.Td>
              <Table.Td>
                <Reasons row={row} />
              </Table.Td>
              <Table.Td>
                {row.pages === null ? null : (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-expanded={isOpen}
                    onClick={() => setOpened(isOpen ? null : row.submission_id)}
                  >
                    {t('deciding.review.showPages', { count: row.pages })}
                  </Button>
                )}
              </Table.Td>
              <Table.Td>
                <MarkLink
                  examId={row.exam.id}
                  submissionId={row.submission_id}
                  questionId={row.questions[0]?.question_id}
                  review={filters}
                  label={t('deciding.review.openFor', { candidate: row.candidate.external_id })}
                >
                  {t('deciding.review.open')}
                </MarkLink>
              </Table.Td>
            </Table.Tr>
            {isOpen ? (
              <Table.Tr>
                <Table.Td colSpan={5}>
                  <PagesOfCopy submissionId={row.submission_id} />
                </Table.Td>
              </Table.Tr>
            ) : null}
          </Fragment>
        );
      })}
    </TableBox>
  );
};

/** Reasons of the copy, then those of its questions: questions with the same reasons share a line. */
const Reasons = ({ row }: { row: Queued }) => {
  const t = useText();
  const byReasons = Map.groupBy(row.questions, ({ reasons }) => reasons.map(reasonText).join(', '));
  return (
    <List size="sm">
      {row.reasons.map((reason) => (
        <List.Item key={reason}>{reasonText(reason)}</List.Item>
      ))}
      {[...byReasons].map(([reasons, questions]) => (
        <List.Item key={reasons}>
          {t('deciding.review.ofQuestions', {
            count: questions.length,
            questions: questions.map(({ label }) => label).join(', '),
            reasons,
          })}
        </List.Item>
      ))}
    </List>
  );
};
