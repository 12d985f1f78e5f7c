import './stack.css';
import { Badge, Button, Checkbox, Group, List, Modal, Select, Text, Title } from '@mantine/core';
import { memo, useState } from 'react';
import { useText } from '../../app/language.ts';
import type { TextKey } from '../../app/texts.ts';
import type { Turn } from '../paper/lookAt.ts';
import { isImpossible, type PageChange, type PlannedCopy, type PlannedPage } from './plan.ts';

const MOST_SHOWN = 50;

/** One copy of the stack: its candidate, what is in doubt, and its pages. */
export const StackCopy = memo(
  ({
    number,
    copy,
    choices,
    pictures,
    isSeen,
    onSeen,
    onPage,
    onCandidate,
  }: {
    number: number;
    copy: PlannedCopy;
    choices: readonly { value: string; label: string }[];
    /** Addresses of the pictures by key of the page. */
    pictures: ReadonlyMap<string, string>;
    /** A person has looked at the doubts. */
    isSeen: boolean;
    onSeen: (isSeen: boolean) => void;
    onPage: (key: string, change: PageChange) => void;
    onCandidate: (id: string | null) => void;
  }) => {
    const t = useText();
    const { doubts, candidate, pages } = copy;
    const name = t('exams.stack.copy', { number });
    return (
      <section className="stack-copy" aria-label={name}>
        <Group gap="sm" align="end">
          <Title order={2} size="h4">
            {name}
          </Title>
          <Select
            aria-label={t('exams.stack.candidateOf', { number })}
            placeholder={t('exams.upload.chooseCandidate')}
            data={choices}
            value={candidate}
            onChange={onCandidate}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('app.clear') }}
            limit={MOST_SHOWN}
            nothingFoundMessage={t('exams.noneFound')}
            w={280}
          />
          {candidate === null ? <Badge color="gray">{t('exams.stack.noCandidate')}</Badge> : null}
          {doubts.length > 0 && !isImpossible(copy) ? (
            <Checkbox
              label={t('exams.stack.seen')}
              checked={isSeen}
              onChange={(event) => onSeen(event.currentTarget.checked)}
            />
          ) : null}
        </Group>
        {doubts.length === 0 ? null : (
          <List size="sm" c="var(--mantine-color-error)">
            {doubts.map((doubt) => (
              <List.Item key={doubt}>{t(`exams.stack.doubt.${doubt}`)}</List.Item>
            ))}
          </List>
        )}
        <ol className="stack-pages">
          {pages.map((page, index) => (
            <SheetOfStack
              key={page.key}
              isFirst={index === 0}
              page={page}
              picture={pictures.get(page.key) ?? ''}
              onPage={onPage}
            />
          ))}
        </ol>
      </section>
    );
  },
);

const turnOn = (turn: Turn): Turn => (turn === 270 ? 0 : turn === 180 ? 270 : turn === 90 ? 180 : 90);

const SheetOfStack = ({
  isFirst,
  page,
  picture,
  onPage,
}: {
  /** The copy begins here. */
  isFirst: boolean;
  page: PlannedPage;
  picture: string;
  onPage: (key: string, change: PageChange) => void;
}) => {
  const t = useText();
  const [isLarge, setLarge] = useState(false);
  const place = t('exams.stack.page', { number: page.index + 1, file: page.file.name });
  const remarks: TextKey[] = [
    ...(page.cover === null ? [] : (['exams.stack.cover'] as const)),
    ...(page.isBlank ? (['exams.stack.looksBlank'] as const) : []),
    ...(page.isLeftOut ? (['exams.stack.leftOut'] as const) : []),
  ];
  const look = { size: 'compact-xs', variant: 'default' } as const;
  return (
    <li className={page.isLeftOut ? 'stack-page left-out' : 'stack-page'}>
      <button
        type="button"
        className="stack-picture"
        aria-label={t('exams.stack.enlarge', { place })}
        onClick={() => setLarge(true)}
      >
        <img src={picture} alt="" style={{ transform: `rotate(${page.turn}deg)` }} />
      </button>
      <Text size="xs">{place}</Text>
      <Text size="xs" c="dimmed">
        {remarks.map((remark) => t(remark)).join(', ')}
      </Text>
      <Group gap={4}>
        <Button
          {...look}
          aria-label={t(isFirst ? 'exams.stack.joinHere' : 'exams.stack.beginHere', { place })}
          onClick={() => onPage(page.key, { begins: !isFirst })}
        >
          {t(isFirst ? 'exams.stack.join' : 'exams.stack.begin')}
        </Button>
        <Button
          {...look}
          aria-label={t(page.isLeftOut ? 'exams.stack.takeHere' : 'exams.stack.leaveHere', { place })}
          onClick={() => onPage(page.key, { isLeftOut: !page.isLeftOut })}
        >
          {t(page.isLeftOut ? 'exams.stack.take' : 'exams.stack.leave')}
        </Button>
        <Button
          {...look}
          aria-label={t('exams.stack.turnHere', { place })}
          onClick={() => onPage(page.key, { turn: turnOn(page.turn) })}
        >
          {t('exams.stack.turn')}
        </Button>
      </Group>
      <Modal
        opened={isLarge}
        onClose={() => setLarge(false)}
        title={place}
        size="xl"
        closeButtonProps={{ 'aria-label': t('app.close') }}
      >
        <img
          className="stack-large"
          src={picture}
          alt={place}
          style={{ transform: `rotate(${page.turn}deg)` }}
        />
      </Modal>
    </li>
  );
};
