import { Table } from '@mantine/core';
import { useText } from '../app/language.ts';
import type { Agreement } from './answers.ts';
import { count, marks, percent, signed } from './figures.ts';
import { TableBox } from '../app/TableBox.tsx';

export const AgreementTable = ({ agreement }: { agreement: Agreement }) => {
  const t = useText();
  const { overall, questions } = agreement;
  return (
    <TableBox
      caption={t('deciding.agreement.caption')}
      columns={[
        t('deciding.question'),
        t('deciding.agreement.answers'),
        t('deciding.agreement.overridden'),
        t('deciding.agreement.exact'),
        t('deciding.agreement.withinStep'),
        t('deciding.agreement.qwk'),
        t('deciding.agreement.difference'),
      ]}
    >
      {questions.map((question) => (
        <Row
          key={question.question_id}
          name={question.label}
          figures={question}
          difference={signed(question.mean_difference)}
        />
      ))}
      <Row
        name={t('deciding.agreement.overall')}
        figures={overall}
        difference={
          overall.mean_difference === null
            ? '–'
            : t('deciding.agreement.ofMax', { share: signed(overall.mean_difference * 100) })
        }
      />
    </TableBox>
  );
};

const Row = ({
  name,
  figures,
  difference,
}: {
  name: string;
  figures: Agreement['overall'];
  difference: string;
}) => (
  <Table.Tr>
    <Table.Th scope="row">{name}</Table.Th>
    <Table.Td>{count(figures.n)}</Table.Td>
    <Table.Td>{count(figures.overridden)}</Table.Td>
    <Table.Td>{percent(figures.exact)}</Table.Td>
    <Table.Td>{percent(figures.within_step)}</Table.Td>
    <Table.Td>{marks(figures.qwk)}</Table.Td>
    <Table.Td>{difference}</Table.Td>
  </Table.Tr>
);
