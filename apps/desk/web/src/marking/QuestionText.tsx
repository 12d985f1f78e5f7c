import { Spoiler, Text } from '@mantine/core';
import { useText } from '../app/language.ts';
import type { ScreenQuestion } from './types.ts';

/** Height of two lines, after which the question is folded. */
const FOLDED_HEIGHT = 46;

/** The question with its options and key, and the model answer. The options of a choice are beside it, with signs. */
export const QuestionText = ({ question: { question, given } }: { question: ScreenQuestion }) => {
  const t = useText();
  const answers = [question.answer ?? []].flat().join(', ');
  const chosen = given?.option_labels ?? [];
  return (
    <>
      <Spoiler
        maxHeight={question.options.length > 0 ? 400 : FOLDED_HEIGHT}
        showLabel={t('marking.prompt.all')}
        hideLabel={t('marking.prompt.fold')}
      >
        <Text className="marking-answer" dir="auto">
          {question.text}
        </Text>
        {question.options.length === 0 ? null : (
          <ul className="marking-options">
            {question.options.map(({ label, text }) => {
              const isRight = question.correct_options.includes(label);
              return (
                <li key={label}>
                  <Text size="sm" fw={isRight ? 700 : 400}>
                    {label}. {text} {isRight ? `✓ ${t('marking.options.right')}` : ''}
                    {chosen.includes(label) && !isRight ? `✗ ${t('marking.chosen')}` : ''}
                    {chosen.includes(label) && isRight ? ` ${t('marking.chosen')}` : ''}
                  </Text>
                </li>
              );
            })}
          </ul>
        )}
      </Spoiler>
      {answers === '' ? null : <Text size="sm">{t('marking.key', { key: answers })}</Text>}
      {question.model_answer === null || question.model_answer.trim() === '' ? null : (
        <details>
          <summary>{t('marking.modelAnswer')}</summary>
          <Text className="marking-answer" dir="auto">
            {question.model_answer}
          </Text>
        </details>
      )}
    </>
  );
};
