import { Button, Table, Text } from '@mantine/core';
import { useText } from '../app/language.ts';
import { TableBox } from '../app/TableBox.tsx';
import type { ScreenQuestion } from './types.ts';

/** The criteria with the marks and reasons of the AI. Choosing one highlights the words that its mark rests on. */
export const CriteriaTable = ({
  question: { result, question },
  chosen,
  onChoose,
}: {
  question: ScreenQuestion;
  chosen: number | null;
  onChoose: (index: number) => void;
}) => {
  const t = useText();
  // Before the AI has marked, and for marks by key, there are no criteria of the result: the rubric's own are shown.
  const criteria =
    result.criteria.length > 0
      ? result.criteria
      : (question.rubric?.criteria ?? []).map(({ name, marks }) => ({
          name,
          awarded: null,
          max: marks,
          reason: null,
        }));
  return (
    <TableBox
      label={t('marking.criteria')}
      minWidth={300}
      columns={[t('marking.criterion'), t('marking.marks'), t('marking.reason')]}
    >
      {criteria.length === 0 ? (
        <Table.Tr>
          <Table.Td colSpan={3}>{t('marking.noCriteria')}</Table.Td>
        </Table.Tr>
      ) : (
        criteria.map(({ name, awarded, max, reason }, index) => (
          <Table.Tr key={index}>
            <Table.Td>
              <Button
                variant={chosen === index ? 'light' : 'subtle'}
                size="compact-sm"
                color="gray"
                c="var(--mantine-color-text)"
                styles={{
                  label: { whiteSpace: 'normal', textAlign: 'start' },
                  root: { height: 'auto', minHeight: 24 },
                }}
                aria-pressed={chosen === index}
                onClick={() => onChoose(index)}
              >
                {name}
              </Button>
            </Table.Td>
            <Table.Td>
              {awarded ?? '–'} / {max ?? '–'}
            </Table.Td>
            <Table.Td>
              <Text size="sm">{reason ?? ''}</Text>
            </Table.Td>
          </Table.Tr>
        ))
      )}
    </TableBox>
  );
};
