import { Button, Group, Popover, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { useActionKeys } from './keys.ts';
import type { Screen, ScreenQuestion } from './types.ts';

/** A flag asks a colleague to look at the question. It changes no mark. */
export const FlagControl = ({ screen, question }: { screen: Screen; question: ScreenQuestion }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const { flag } = question;
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState(flag?.note ?? '');
  const place = { submission_id: screen.submission_id, question_id: question.result.question_id };
  const change = useMutation({
    ...calls.desk.marking.flag.mutationOptions(),
    onSuccess: () => setOpen(false),
    onSettled: () =>
      queryClient.invalidateQueries(
        calls.desk.marking.screen.queryFilter({ submission_id: screen.submission_id }),
      ),
  });
  useActionKeys({ flag: () => setOpen(true) });
  return (
    <Group gap="xs">
      {flag === null ? null : (
        <Text size="sm">
          {t('marking.flaggedBy', { name: flag.by.name ?? t('marking.someone') })} {flag.note ?? ''}
        </Text>
      )}
      <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-end" withRoles>
        <Popover.Target>
          <Button size="compact-sm" variant="default" onClick={() => setOpen(!isOpen)}>
            {t('marking.flag')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('marking.flag')}>
          <TextInput
            label={t('marking.flagNote')}
            maxLength={500}
            value={note}
            onChange={(event) => setNote(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') change.mutate({ ...place, flagged: true, note });
            }}
          />
          <Group mt="xs">
            <Button size="compact-sm" onClick={() => change.mutate({ ...place, flagged: true, note })}>
              {t('marking.flagSet')}
            </Button>
            {flag === null ? null : (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => change.mutate({ ...place, flagged: false })}
              >
                {t('marking.flagRemove')}
              </Button>
            )}
          </Group>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
};
