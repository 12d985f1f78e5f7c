import { Alert, Button, Group, NumberInput, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { calls } from '../app/calls.ts';
import { useText, type TextKey } from '../app/language.ts';
import { notify } from '../app/notices.ts';
import { Section } from '../app/Section.tsx';
import type { Guide } from './answers.ts';
import { percent } from './figures.ts';

const MODES = {
  off: 'deciding.guide.mode.off',
  suggest: 'deciding.guide.mode.suggest',
  apply: 'deciding.guide.mode.apply',
} as const satisfies Record<Guide['mode'], TextKey>;

const isMode = (value: string): value is Guide['mode'] => Object.hasOwn(MODES, value);

export const GuideSettings = ({ guide, isAdmin }: { guide: Guide; isAdmin: boolean }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [mode, setMode] = useState(guide.mode);
  const [target, setTarget] = useState<number | string>(Math.round(guide.target * 1000) / 10);
  const set = useMutation(
    calls.guide.set.mutationOptions({
      onSuccess: () => notify(t('deciding.guide.saved')),
      onSettled: () => queryClient.invalidateQueries({ queryKey: calls.guide.pathKey() }),
    }),
  );
  const { audit } = guide;
  return (
    <Section id="guide-settings" title={t('deciding.guide.settings')} maw={640}>
      <Radio.Group
        label={t('deciding.guide.mode')}
        value={mode}
        onChange={(value) => (isMode(value) ? setMode(value) : undefined)}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(MODES).map(([value, label]) => (
            <Radio key={value} value={value} label={t(label)} disabled={!isAdmin} />
          ))}
        </Stack>
      </Radio.Group>
      <NumberInput
        label={t('deciding.guide.target')}
        description={t('deciding.guide.targetExplained')}
        min={50}
        max={99.9}
        step={0.5}
        decimalScale={1}
        suffix=" %"
        disabled={!isAdmin}
        value={target}
        onChange={setTarget}
      />
      <Text>
        {t('deciding.guide.audit', {
          count: audit.audited,
          decided: audit.decided,
          agreed: audit.agreed,
          share: percent(audit.decided === 0 ? null : audit.agreed / audit.decided),
        })}
      </Text>
      {guide.passing_stopped_at === null ? null : (
        <Alert color="red" variant="outline" title={t('deciding.guide.stopped')}>
          <Stack align="start">
            <Text>{t('deciding.guide.stoppedExplained')}</Text>
            {isAdmin ? (
              <Button
                variant="default"
                loading={set.isPending}
                onClick={() => set.mutate({ exam_id: guide.exam_id, resume_passing: true })}
              >
                {t('deciding.guide.resume')}
              </Button>
            ) : null}
          </Stack>
        </Alert>
      )}
      {isAdmin ? (
        <Group>
          <Button
            loading={set.isPending}
            onClick={() =>
              set.mutate({
                exam_id: guide.exam_id,
                mode,
                ...(typeof target === 'number' ? { target: Math.round(target * 10) / 1000 } : {}),
              })
            }
          >
            {t('app.save')}
          </Button>
        </Group>
      ) : null}
    </Section>
  );
};
