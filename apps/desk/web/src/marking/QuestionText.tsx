import { Text } from '@mantine/core';
import { useText } from '../app/language.ts';
import type { ScreenQuestion } from './types.ts';

export const QuestionText = ({ question }: { question: ScreenQuestion['question'] }) => {
  const t = useText();
  const key = question.correct_options.join(', ') || [question.answer ?? []].flat().join(', ');
  return (
    <>
      <details open>
        <summary>{t('marking.prompt')}</summary>
        <Text className="marking-answer" dir="auto">
          {question.text}
        </Text>
        {question.options.length === 0 ? null : (
          <ul>
            {question.options.map(({ label, text }) => (
              <li key={label}>
                {label}. {text}
              </li>
            ))}
          </ul>
        )}
        {key === '' ? null : <Text size="sm">{t('marking.key', { key })}</Text>}
      </details>
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
