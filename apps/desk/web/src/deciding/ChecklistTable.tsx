import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText, type TextKey } from '../app/language.ts';
import type { Checklist } from './answers.ts';
import { count } from './figures.ts';
import { MarkLink } from './MarkLink.tsx';
import { TableBox } from '../app/TableBox.tsx';

const KINDS: Readonly<Record<Checklist['open'][number]['kind'], TextKey>> = {
  running: 'deciding.checklist.running',
  cancelled: 'deciding.checklist.cancelled',
  failed: 'deciding.checklist.failed',
  partially_graded: 'deciding.checklist.partiallyGraded',
  needs_review: 'deciding.checklist.needsReview',
  ready: 'deciding.checklist.ready',
};

export const ChecklistTable = ({ checklist }: { checklist: Checklist }) => {
  const t = useText();
  const { exam_id, open, pages_not_accounted_for: pages, without_submission: missing } = checklist;
  const links = (items: Checklist['open'][number]['first']) =>
    items.map(({ submission_id, external_id }, index) => (
      <span key={submission_id}>
        {index === 0 ? '' : ', '}
        <MarkLink examId={exam_id} submissionId={submission_id}>
          {external_id}
        </MarkLink>
      </span>
    ));
  return (
    <TableBox
      caption={t('deciding.checklist.caption')}
      columns={[t('deciding.checklist.what'), t('deciding.checklist.count'), t('deciding.checklist.first')]}
    >
      {open.map(({ kind, submissions, first }) => (
        <Row key={kind} name={t(KINDS[kind])} number={submissions}>
          {links(first)}
        </Row>
      ))}
      <Row name={t('deciding.checklist.pages')} number={pages.submissions}>
        {links(pages.first)}
      </Row>
      <Row name={t('deciding.checklist.flagged')} number={checklist.flagged.submissions}>
        {links(checklist.flagged.first)}
      </Row>
      <Row name={t('deciding.checklist.missing')} number={missing.candidates}>
        {missing.first.map(({ external_id }) => external_id).join(', ')}
      </Row>
    </TableBox>
  );
};

const Row = ({ name, number, children }: { name: string; number: number; children: ReactNode }) => (
  <Table.Tr>
    <Table.Th scope="row" fw={number === 0 ? 400 : 700}>
      {name}
    </Table.Th>
    <Table.Td>{count(number)}</Table.Td>
    <Table.Td>{children}</Table.Td>
  </Table.Tr>
);
