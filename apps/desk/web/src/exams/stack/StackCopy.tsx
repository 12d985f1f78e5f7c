import './stack.css';
import { Badge, Checkbox, Group, List, Select, Title } from '@mantine/core';
import { useText } from '../../app/language.ts';
import type { TextKey } from '../../app/texts.ts';
import type { Turn } from '../paper/lookAt.ts';
import { isImpossible, type PageChange, type PlannedCopy, type PlannedPage } from './plan.ts';

const MOST_SHOWN = 50;

/** One copy of the stack: its candidate, what is in doubt, and its pages. */
export const StackCopy = ({
  number,
  copy,
  choices,
  pictures,
  isSeen,
  onSeen,
  onPage,
  onEnlarge,
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
  onEnlarge: (page: PlannedPage) => void;
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
            onEnlarge={onEnlarge}
          />
        ))}
      </ol>
    </section>
  );
};

const turnOn = (turn: Turn): Turn => (turn === 270 ? 0 : turn === 180 ? 270 : turn === 90 ? 180 : 90);

const SheetOfStack = ({
  isFirst,
  page,
  picture,
  onPage,
  onEnlarge,
}: {
  /** The copy begins here. */
  isFirst: boolean;
  page: PlannedPage;
  picture: string;
  onPage: (key: string, change: PageChange) => void;
  onEnlarge: (page: PlannedPage) => void;
}) => {
  const t = useText();
  const place = t('exams.stack.page', { number: page.index + 1, file: page.file.name });
  const remarks: TextKey[] = [
    ...(page.cover === null ? [] : (['exams.stack.cover'] as const)),
    ...(page.isBlank ? (['exams.stack.looksBlank'] as const) : []),
    ...(page.isLeftOut ? (['exams.stack.leftOut'] as const) : []),
  ];
  return (
    <li className={page.isLeftOut ? 'stack-page left-out' : 'stack-page'}>
      <button
        type="button"
        className="stack-picture"
        aria-label={t('exams.stack.enlarge', { place })}
        onClick={() => onEnlarge(page)}
      >
        <img src={picture} alt="" style={{ transform: `rotate(${page.turn}deg)` }} />
      </button>
      <span>{place}</span>
      <span>{remarks.map((remark) => t(remark)).join(', ')}</span>
      <div className="stack-tools">
        <button
          type="button"
          className="stack-tool"
          aria-label={t(isFirst ? 'exams.stack.joinHere' : 'exams.stack.beginHere', { place })}
          onClick={() => onPage(page.key, { begins: !isFirst })}
        >
          {t(isFirst ? 'exams.stack.join' : 'exams.stack.begin')}
        </button>
        <button
          type="button"
          className="stack-tool"
          aria-label={t(page.isLeftOut ? 'exams.stack.takeHere' : 'exams.stack.leaveHere', { place })}
          onClick={() => onPage(page.key, { isLeftOut: !page.isLeftOut })}
        >
          {t(page.isLeftOut ? 'exams.stack.take' : 'exams.stack.leave')}
        </button>
        <button
          type="button"
          className="stack-tool"
          aria-label={t('exams.stack.turnHere', { place })}
          onClick={() => onPage(page.key, { turn: turnOn(page.turn) })}
        >
          {t('exams.stack.turn')}
        </button>
      </div>
    </li>
  );
};
