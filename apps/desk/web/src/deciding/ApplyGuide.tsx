import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useText, type TextKey } from '../app/language.ts';
import { notify } from '../app/notices.ts';
import { Section } from '../app/Section.tsx';
import type { Guide, GuideStep } from './answers.ts';
import { percent } from './figures.ts';
import { applyGuide, previewGuide, undoGuide } from './guideSteps.ts';
import { TallyTable } from './TallyTable.tsx';

const STEPS: Readonly<Record<GuideStep['step'], TextKey>> = {
  previewing: 'deciding.apply.previewing',
  previewed: 'deciding.apply.previewed',
  applying: 'deciding.apply.applying',
  applied: 'deciding.apply.applied',
  undoing: 'deciding.apply.undoing',
  undone: 'deciding.apply.undone',
};

type Work = 'preview' | 'apply' | 'undo';

/** Preview of what the guides would change, its application, and the undo of the application in force. */
export const ApplyGuide = ({ guide, isAdmin }: { guide: Guide; isAdmin: boolean }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const { exam_id: examId, in_force } = guide;
  const [current, setCurrent] = useState<GuideStep | null>(null);
  const latest = current ?? guide.application;
  const work = useMutation({
    mutationFn: (kind: Work): Promise<GuideStep> => {
      if (kind === 'preview') return previewGuide(examId, setCurrent);
      const number = kind === 'undo' ? in_force : latest?.number;
      if (number == null) throw new Error(`there is nothing to ${kind}`);
      return kind === 'undo' ? undoGuide(examId, number, setCurrent) : applyGuide(examId, number, setCurrent);
    },
    onSuccess: (step) => notify(t(STEPS[step.step], { number: step.number })),
    onSettled: async () => {
      await queryClient.invalidateQueries();
      setCurrent(null);
    },
  });
  const isOff = guide.mode === 'off';
  const canApply = latest?.step === 'previewed' && guide.mode === 'apply';
  return (
    <Section id="apply" title={t('deciding.apply.title')} isBusy={work.isPending}>
      <Text role="status">
        {latest === null ? t('deciding.apply.none') : t(STEPS[latest.step], { number: latest.number })}{' '}
        {in_force === null ? '' : t('deciding.apply.inForce', { number: in_force })}
      </Text>
      {isAdmin ? (
        <>
          <Group>
            <Button
              variant="default"
              disabled={isOff || work.isPending}
              loading={work.isPending && work.variables === 'preview'}
              onClick={() => work.mutate('preview')}
            >
              {t('deciding.apply.preview')}
            </Button>
            <Button
              disabled={!canApply || work.isPending}
              loading={work.isPending && work.variables === 'apply'}
              onClick={() => work.mutate('apply')}
            >
              {t('deciding.apply.apply')}
            </Button>
            <Button
              variant="default"
              disabled={in_force === null || work.isPending}
              loading={work.isPending && work.variables === 'undo'}
              onClick={() => work.mutate('undo')}
            >
              {t('deciding.apply.undo')}
            </Button>
          </Group>
          {isOff ? <Text size="sm">{t('deciding.apply.off')}</Text> : null}
          {guide.mode === 'suggest' ? <Text size="sm">{t('deciding.apply.suggestOnly')}</Text> : null}
        </>
      ) : (
        <Text size="sm">{t('deciding.apply.adminOnly')}</Text>
      )}
      {latest === null ? null : (
        <>
          <TallyTable step={latest} />
          <Text>
            {latest.passing.threshold === null
              ? t('deciding.apply.nothingPasses', { count: latest.passing.examples })
              : t('deciding.apply.passes', {
                  share: percent(latest.passing.share),
                  agreement: percent(latest.passing.agreement),
                  bound: percent(latest.passing.lower_bound),
                  count: latest.passing.examples,
                })}
          </Text>
        </>
      )}
    </Section>
  );
};
