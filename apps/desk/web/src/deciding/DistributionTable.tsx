import { Table } from '@mantine/core';
import { useText } from '../app/language.ts';
import type { Distribution } from './answers.ts';
import { count, marks, percent, signed } from './figures.ts';
import { TableBox } from '../app/TableBox.tsx';

type Shown = Distribution['totals'] &
  Partial<Pick<Distribution['questions'][number], 'facility' | 'discrimination'>>;

export const DistributionTable = ({ distribution }: { distribution: Distribution }) => {
  const t = useText();
  return (
    <TableBox
      caption={t('deciding.distribution.caption')}
      minWidth={800}
      columns={[
        t('deciding.distribution.of'),
        t('deciding.distribution.copies'),
        t('deciding.distribution.mean'),
        t('deciding.distribution.median'),
        t('deciding.distribution.deviation'),
        t('deciding.distribution.facility'),
        t('deciding.distribution.discrimination'),
        t('deciding.distribution.bins'),
      ]}
    >
      <Row name={t('deciding.distribution.total')} figures={distribution.totals} />
      {distribution.questions.map((question) => (
        <Row
          key={question.question_id}
          name={t('deciding.distribution.question', { label: question.label, max: marks(question.max) })}
          figures={question}
        />
      ))}
    </TableBox>
  );
};

const Row = ({ name, figures }: { name: string; figures: Shown }) => (
  <Table.Tr>
    <Table.Th scope="row">{name}</Table.Th>
    <Table.Td>{count(figures.n)}</Table.Td>
    <Table.Td>{marks(figures.mean)}</Table.Td>
    <Table.Td>{marks(figures.median)}</Table.Td>
    <Table.Td>{marks(figures.standard_deviation)}</Table.Td>
    <Table.Td>{percent(figures.facility)}</Table.Td>
    <Table.Td>{signed(figures.discrimination)}</Table.Td>
    <Table.Td>
      {figures.bins
        .filter((bin) => bin.count > 0)
        .map((bin) => `${marks(bin.from)}–${marks(bin.to)}: ${bin.count}`)
        .join('; ')}
    </Table.Td>
  </Table.Tr>
);
