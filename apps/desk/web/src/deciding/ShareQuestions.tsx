import { Table } from '@mantine/core';
import { useText } from '../app/language.ts';
import { TableBox } from '../app/TableBox.tsx';
import type { Shares } from './answers.ts';

/** A row a question, a column a person. The boxes are those of the browser: a paper of 200 questions has many. */
export const ShareQuestions = ({
  shares,
  people,
  chosen,
  onChange,
}: {
  shares: Shares;
  people: Shares['people'];
  chosen: ReadonlyMap<string, ReadonlySet<string>>;
  onChange: (chosen: Map<string, Set<string>>) => void;
}) => {
  const t = useText();
  const toggle = (questionId: string, staffId: string): void => {
    const changed = new Map([...chosen].map(([id, ids]) => [id, new Set(ids)]));
    const ids = changed.get(questionId) ?? new Set();
    if (!ids.delete(staffId)) ids.add(staffId);
    onChange(changed.set(questionId, ids));
  };
  return (
    <TableBox
      label={t('deciding.share.table')}
      columns={[t('deciding.question'), ...people.map(({ name }) => name)]}
    >
      {shares.questions.map(({ question_id, label }) => (
        <Table.Tr key={question_id}>
          <Table.Th scope="row">{label}</Table.Th>
          {people.map(({ staff_id, name }) => (
            <Table.Td key={staff_id}>
              <input
                type="checkbox"
                style={{ width: 20, height: 20 }}
                aria-label={t('deciding.share.questionOf', { label, name })}
                checked={chosen.get(question_id)?.has(staff_id) === true}
                onChange={() => toggle(question_id, staff_id)}
              />
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
      <Table.Tr>
        <Table.Th scope="row">{t('deciding.share.decided')}</Table.Th>
        {people.map(({ staff_id, answers, decided }) => (
          <Table.Td key={staff_id}>
            {answers === 0 ? '–' : t('deciding.share.decidedOf', { answers, decided })}
          </Table.Td>
        ))}
      </Table.Tr>
    </TableBox>
  );
};
