import { Table, Text } from '@mantine/core';
import { TableBox } from '../app/TableBox.tsx';
import { useText } from '../app/language.ts';
import type { MarksByPerson } from './answers.ts';
import { count } from './figures.ts';

/** Who marked what: a row a person, a column a question. */
export const PeopleTable = ({ marks }: { marks: MarksByPerson }) => {
  const t = useText();
  if (marks.people.length === 0) return <Text>{t('deciding.people.none')}</Text>;
  return (
    <TableBox
      caption={t(marks.is_complete ? 'deciding.people.caption' : 'deciding.people.some', {
        count: marks.people.length,
      })}
      columns={[
        t('deciding.share.person'),
        ...marks.questions.map(({ label }) => label),
        t('deciding.people.total'),
      ]}
    >
      {marks.people.map(({ id, name, total, marks: numbers }) => (
        <Table.Tr key={id}>
          <Table.Th scope="row">{name ?? t('deciding.people.key')}</Table.Th>
          {marks.questions.map(({ question_id }, index) => (
            <Table.Td key={question_id}>{count(numbers[index] ?? 0)}</Table.Td>
          ))}
          <Table.Td>{count(total)}</Table.Td>
        </Table.Tr>
      ))}
    </TableBox>
  );
};
