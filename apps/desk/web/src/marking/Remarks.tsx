import { Button, Popover, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';

/** Remarks that were written to other answers of the question. A chosen one is added to the comment. */
export const Remarks = ({
  place,
  isClosed,
  onChoose,
}: {
  place: { exam_id: string; question_id: string };
  isClosed: boolean;
  onChoose: (remark: string) => void;
}) => {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const { exam_id, question_id } = place;
  const { data } = useQuery(
    calls.desk.marking.remarks.queryOptions({ exam_id, question_id }, { enabled: isOpen, staleTime: 0 }),
  );
  const remarks = data?.data ?? [];
  const choose = (text: string): void => {
    setOpen(false);
    onChoose(text);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-end" withRoles>
      <Popover.Target>
        <Button
          type="button"
          size="compact-xs"
          variant="default"
          disabled={isClosed}
          onClick={() => setOpen(!isOpen)}
        >
          {t('marking.remarks')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className="marking-remarks" aria-label={t('marking.remarks')}>
        {data !== undefined && remarks.length === 0 ? (
          <Text size="sm">{t('marking.remarks.none')}</Text>
        ) : null}
        {remarks.map(({ text, answers, awarded }) => (
          <UnstyledButton key={text} type="button" p="xs" w="100%" onClick={() => choose(text)}>
            <Text size="sm" dir="auto" lineClamp={3}>
              {text}
            </Text>
            <Text size="xs" c="dimmed">
              {t('marking.remarks.used', { count: answers, awarded })}
            </Text>
          </UnstyledButton>
        ))}
      </Popover.Dropdown>
    </Popover>
  );
};
