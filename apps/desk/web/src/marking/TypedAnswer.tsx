import { Paper, ScrollArea, Text } from '@mantine/core';
import { useText } from '../app/language.ts';
import { AnswerText } from './AnswerText.tsx';
import type { ScreenQuestion } from './types.ts';

/** What the candidate typed or chose, in place of the page of a copy. */
export const TypedAnswer = ({
  question: { question, given, result, quotations },
  criterion,
}: {
  question: ScreenQuestion;
  criterion: number | null;
}) => {
  const t = useText();
  const chosen = given?.option_labels ?? [];
  const text = given?.text ?? result.extracted_answer ?? '';
  return (
    <ScrollArea className="marking-paper" p="md" viewportProps={{ tabIndex: 0 }}>
      <Paper p="md">
        {chosen.length > 0 ? (
          <ul>
            {question.options
              .filter(({ label }) => chosen.includes(label))
              .map(({ label, text: option }) => (
                <li key={label}>
                  <Text>
                    {label}. {option}
                  </Text>
                </li>
              ))}
          </ul>
        ) : text === '' ? (
          <Text c="dimmed">{t('marking.noAnswer')}</Text>
        ) : (
          <AnswerText text={text} quotation={criterion === null ? null : (quotations[criterion] ?? null)} />
        )}
      </Paper>
    </ScrollArea>
  );
};
