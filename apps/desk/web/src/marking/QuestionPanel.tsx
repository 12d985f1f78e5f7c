import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useText } from '../app/language.ts';
import { reasonText } from '../app/reviewReasons.ts';
import { AnswerText } from './AnswerText.tsx';
import { CriteriaTable } from './CriteriaTable.tsx';
import { FlagControl } from './FlagControl.tsx';
import { MarkForm } from './MarkForm.tsx';
import { QuestionText } from './QuestionText.tsx';
import type { Screen, ScreenQuestion } from './types.ts';
import type { Target } from './useOrder.ts';

/** Source and certainty of the mark that counts. */
const Certainty = ({ result }: { result: ScreenQuestion['result'] }) => {
  const t = useText();
  if (result.source === 'ai_reviewed') return <Badge variant="default">{t('marking.byTeacher')}</Badge>;
  if (result.source === 'auto') return <Badge variant="default">{t('marking.byKey')}</Badge>;
  if (result.confidence === null) return null;
  return (
    <Badge variant="default">
      {t('marking.confidence', { percent: Math.round(result.confidence * 100) })}
    </Badge>
  );
};

export const QuestionPanel = ({
  screen,
  question,
  criterion,
  group,
  onCriterion,
  onNext,
  onPrevious,
  onGoTo,
}: {
  screen: Screen;
  question: ScreenQuestion;
  criterion: number | null;
  group: readonly string[];
  onCriterion: (index: number) => void;
  onNext: () => Promise<void>;
  onPrevious: () => Promise<void>;
  onGoTo: (target: Target) => Promise<void>;
}) => {
  const t = useText();
  const { result } = question;
  const quotation = criterion === null ? null : (question.quotations[criterion] ?? null);
  return (
    <section aria-label={t('marking.question', { label: result.label })}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={2} size="h3">
              {t('marking.question', { label: result.label })}
            </Title>
            <Certainty result={result} />
            {result.needs_review ? <Badge variant="default">{t('marking.needsReview')}</Badge> : null}
          </Group>
          <FlagControl screen={screen} question={question} />
        </Group>
        {result.review_reasons.length === 0 ? null : (
          <Text size="sm">
            {t('marking.reasons', {
              reasons: result.review_reasons.map(reasonText).join(', '),
            })}
          </Text>
        )}
        <MarkForm
          screen={screen}
          question={question}
          group={group}
          onNext={onNext}
          onPrevious={onPrevious}
          onGoTo={onGoTo}
        />
        <CriteriaTable question={question} chosen={criterion} onChoose={onCriterion} />
        {result.feedback === null || result.feedback === '' ? null : (
          <Text size="sm">{t('marking.feedback', { text: result.feedback })}</Text>
        )}
        {screen.copy === null || result.extracted_answer == null ? null : (
          <details open={criterion !== null}>
            <summary>{t('marking.reading')}</summary>
            <AnswerText text={result.extracted_answer} quotation={quotation} />
          </details>
        )}
        <QuestionText question={question.question} />
      </Stack>
    </section>
  );
};
