import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { useText, type TextKey } from '../app/language.ts';
import type { CopyPages } from './answers.ts';
import { Answered } from '../app/Answered.tsx';
import { percent } from './figures.ts';
import { TableBox } from '../app/TableBox.tsx';

type Holds = CopyPages['pages'][number]['holds'];

const TEXTS: Readonly<Record<Holds, TextKey>> = {
  answers: 'deciding.pages.answers',
  unassigned: 'deciding.pages.unassigned',
  blank: 'deciding.pages.blank',
  unreadable: 'deciding.pages.unreadable',
  not_read: 'deciding.pages.notRead',
};

export const PagesOfCopy = ({ submissionId }: { submissionId: string }) => {
  const t = useText();
  const pages = useQuery(calls.desk.review.pages.queryOptions({ submission_id: submissionId }));
  return (
    <Answered query={pages}>
      {(copy) => (
        <TableBox
          caption={t('deciding.pages.caption')}
          columns={[
            t('deciding.pages.page'),
            t('deciding.pages.holds'),
            t('deciding.pages.questions'),
            t('deciding.pages.stray'),
            t('deciding.pages.legibility'),
          ]}
        >
          {copy.pages.map(({ page, holds, questions, unassigned, legibility }) => (
            <Table.Tr key={page}>
              <Table.Th scope="row">{page}</Table.Th>
              <Table.Td>
                {holds === 'answers' || holds === 'blank' ? (
                  t(TEXTS[holds])
                ) : (
                  <strong>{t(TEXTS[holds])}</strong>
                )}
              </Table.Td>
              <Table.Td>{questions.map(({ label }) => label).join(', ')}</Table.Td>
              <Table.Td>{unassigned === 0 ? '' : unassigned}</Table.Td>
              <Table.Td>{percent(legibility)}</Table.Td>
            </Table.Tr>
          ))}
        </TableBox>
      )}
    </Answered>
  );
};
