import { Badge, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useText } from '../app/language.ts';
import { reasonText } from '../app/reviewReasons.ts';
import { AnswerText } from './AnswerText.tsx';
import { CriteriaTable } from './CriteriaTable.tsx';
import { FlagControl } from './FlagControl.tsx';
import { MarkForm, tooLong } from './MarkForm.tsx';
import { QuestionText } from './QuestionText.tsx';
import type { Screen, ScreenQuestion, Target } from './types.ts';
import { useDecisions } from './useDecisions.ts';
import { useMarkDraft } from './useMarkDraft.ts';

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
  named,
  onCriterion,
  onNext,
  onNextOpen,
  onPrevious,
  onGoTo,
}: {
  screen: Screen;
  question: ScreenQuestion;
  criterion: number | null;
  /** The candidate as the screen names it; null if names are hidden. */
  named: string | null;
  onCriterion: (index: number) => void;
  onNext: () => Promise<void>;
  onNextOpen: () => Promise<void>;
  onPrevious: () => Promise<void>;
  onGoTo: (target: Target) => Promise<void>;
}) => {
  const t = useText();
  const { result } = question;
  const place = { submission_id: screen.submission_id, question_id: result.question_id };
  const decisions = useDecisions(
    place,
    question,
    [t('marking.question', { label: result.label }), named].filter((part) => part !== null).join(', '),
  );
  const draft = useMarkDraft(screen, question, decisions);
  const isClosed = screen.finalized || !['graded', 'partially_graded'].includes(screen.status);
  const quotation = criterion === null ? null : (question.quotations[criterion] ?? null);
  return (
    <section aria-label={t('marking.question', { label: result.label })}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Title order={2} size="h3">
              {t('marking.question', { label: result.label })}
            </Title>
            <Certainty result={result} />
            {result.needs_review && !screen.approved ? (
              <Badge variant="default">{t('marking.needsReview')}</Badge>
            ) : null}
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
        <QuestionText question={question} />
        <MarkForm
          screen={screen}
          question={question}
          draft={draft}
          decisions={decisions}
          isClosed={isClosed}
          onNext={onNext}
          onNextOpen={onNextOpen}
          onPrevious={onPrevious}
          onGoTo={onGoTo}
        />
        <CriteriaTable
          question={question}
          draft={draft}
          step={screen.mark_step}
          isClosed={isClosed}
          chosen={criterion}
          onChoose={onCriterion}
        />
        <Textarea
          label={t('marking.feedback')}
          autosize
          minRows={1}
          maxRows={6}
          error={tooLong(draft.feedback)}
          value={draft.feedback}
          disabled={isClosed}
          onChange={(event) => draft.type({ feedback: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        {screen.copy === null || result.extracted_answer == null ? null : (
          <details open={criterion !== null}>
            <summary>{t('marking.reading')}</summary>
            <AnswerText text={result.extracted_answer} quotation={quotation} />
          </details>
        )}
      </Stack>
    </section>
  );
};
