import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import { useText } from '../app/language.ts';
import { TableBox } from '../app/TableBox.tsx';
import { useShiftDigits } from './keys.ts';
import type { ScreenQuestion } from './types.ts';
import type { MarkDraft } from './useMarkDraft.ts';

/**
 * The criteria with their marks and the reasons of the AI. A mark is typed, or given by a click; the sum follows.
 * Choosing a criterion highlights the words that its mark rests on.
 */
export const CriteriaTable = ({
  question: { result, question },
  draft,
  step,
  isClosed,
  chosen,
  onChoose,
}: {
  question: ScreenQuestion;
  draft: MarkDraft;
  step: number;
  isClosed: boolean;
  chosen: number | null;
  onChoose: (index: number) => void;
}) => {
  const t = useText();
  // Before the AI has marked, and for marks by key, there are no criteria of the result: the rubric's own are shown.
  const isMarked = result.criteria.length > 0;
  const criteria = isMarked
    ? result.criteria
    : (question.rubric?.criteria ?? []).map(({ name, marks }) => ({
        name,
        awarded: null,
        max: marks,
        reason: null,
      }));
  useShiftDigits((digit) => {
    const max = criteria[digit - 1]?.max;
    if (isClosed || !isMarked || max == null) return;
    draft.typeCriterion(digit - 1, Number(draft.criteria[digit - 1]) === max ? '0' : String(max));
  });
  return (
    <>
      <TableBox
        label={t('marking.criteria')}
        minWidth={300}
        isDense
        columns={[t('marking.criterion'), t('marking.marks'), t('marking.reason')]}
      >
        {criteria.length === 0 ? (
          <Table.Tr>
            <Table.Td colSpan={3}>{t('marking.noCriteria')}</Table.Td>
          </Table.Tr>
        ) : (
          criteria.map(({ name, max, reason }, index) => (
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
                {isMarked ? (
                  <Group gap={4} wrap="nowrap">
                    <TextInput
                      type="number"
                      size="xs"
                      w={64}
                      aria-label={name}
                      min={0}
                      {...(max === null ? {} : { max })}
                      step={step}
                      value={draft.criteria[index] ?? ''}
                      disabled={isClosed}
                      onChange={(event) => draft.typeCriterion(index, event.currentTarget.value)}
                    />
                    <Text size="sm">/&nbsp;{max ?? '–'}</Text>
                    {[
                      { sign: '✗', marks: 0, label: t('marking.criterion.none') },
                      { sign: '✓', marks: max, label: t('marking.criterion.full') },
                    ].map(({ sign, marks, label }) =>
                      marks === null ? null : (
                        <Button
                          key={sign}
                          size="compact-xs"
                          variant={Number(draft.criteria[index]) === marks ? 'filled' : 'default'}
                          aria-label={label}
                          aria-pressed={Number(draft.criteria[index]) === marks}
                          disabled={isClosed}
                          onClick={() => draft.typeCriterion(index, String(marks))}
                        >
                          {sign}
                        </Button>
                      ),
                    )}
                  </Group>
                ) : (
                  <>– / {max ?? '–'}</>
                )}
              </Table.Td>
              <Table.Td>
                <Text size="sm">{reason ?? ''}</Text>
              </Table.Td>
            </Table.Tr>
          ))
        )}
      </TableBox>
      {draft.isSumTyped ? (
        <Text size="sm" role="note">
          {t('marking.sumTyped')}
        </Text>
      ) : null}
    </>
  );
};
