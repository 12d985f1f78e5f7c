import {
  Alert,
  Anchor,
  Button,
  Group,
  List,
  Modal,
  NumberInput,
  Progress,
  Radio,
  Stack as Column,
  Text,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useBlocker, useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { notify, notifyProblem } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { BackToExam } from '../BackToExam.tsx';
import type { ChosenCandidate } from '../copies/copyFile.ts';
import { copyQueueOf } from '../copies/copyQueue.ts';
import { DropArea } from '../copies/DropArea.tsx';
import { candidateName, useCandidates } from '../copies/useCandidates.ts';
import {
  isImpossible,
  keptPages,
  planOf,
  shownOf,
  type PageChange,
  type PlannedCopy,
  type PlannedPage,
  type Rule,
} from './plan.ts';
import { StackCopy } from './StackCopy.tsx';
import { useStack } from './useStack.ts';

/** Most candidates without a copy that are named. */
const MOST_NAMED = 20;
const RULES = ['covers', 'count', 'blank', 'hand'] as const;

/** Divides a class set, one scan of many copies or photos of pages, into copies with their candidates. */
export const StackPage = () => {
  const t = useText();
  const { id: examId = '' } = useParams({ strict: false });
  const exam = useQuery(calls.desk.exams.overview.queryOptions({ exam_id: examId }));
  const candidates = useCandidates(examId);
  const stack = useStack();
  const navigate = useNavigate();
  const [chosenRule, setRule] = useState<Rule['kind'] | null>(null);
  const [count, setCount] = useState(4);
  const [changes, setChanges] = useState<ReadonlyMap<string, PageChange>>(new Map());
  const [owners, setOwners] = useState<ReadonlyMap<string, string | null>>(new Map());
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [handedOver, setHandedOver] = useState<ReadonlySet<string>>(new Set());
  const [isCutting, setCutting] = useState(false);
  const [large, setLarge] = useState<PlannedPage | null>(null);
  const { pages, faults, progress } = stack;
  const covers = pages.filter(({ cover }) => cover !== null).length;
  const ruleKind = chosenRule ?? (covers > 0 ? 'covers' : 'hand');

  const known = candidates.data;
  const copies = useMemo(() => {
    const rule: Rule = ruleKind === 'count' ? { kind: 'count', pages: count } : { kind: ruleKind };
    const ids = new Set(known?.map(({ candidate }) => candidate.id));
    return planOf(
      pages,
      rule,
      { examId, candidates: ids },
      { pages: changes, candidates: owners, handedOver },
    );
  }, [pages, ruleKind, count, known, examId, changes, owners, handedOver]);
  const choices = useMemo(
    () => (known ?? []).map((copy) => ({ value: copy.candidate.id, label: candidateName(copy) })),
    [known],
  );
  const pictures = useMemo(() => new Map(pages.map(({ key, picture }) => [key, picture])), [pages]);
  const isReady = (copy: PlannedCopy): boolean =>
    !isImpossible(copy) && (copy.doubts.length === 0 || seen.has(shownOf(copy)));
  // Copies that were handed over stay in the plan, because the others are compared with them.
  const left = copies.filter((copy) => copy.pages.some(({ key }) => !handedOver.has(key)));
  const ready = left.filter(isReady);
  const here = new Set(copies.map(({ candidate }) => candidate));
  const missing = (known ?? []).filter(
    ({ candidate, submission }) => submission === null && !here.has(candidate.id),
  );
  const open = left.length > 0;
  /** All copies were handed over, so nothing is lost with the page. */
  const isKept = useRef(false);
  useBlocker({
    shouldBlockFn: () => open && !isKept.current && !confirm(t('exams.stack.leaving')),
    enableBeforeUnload: () => open && !isKept.current,
  });

  const changePage = (key: string, change: PageChange): void =>
    setChanges((before) => new Map(before).set(key, { ...before.get(key), ...change }));

  const takeOver = async (): Promise<void> => {
    setCutting(true);
    try {
      const parts = ready.map((copy) =>
        keptPages(copy).map(({ file, index, turn }) => ({ file: file.key, index, turn })),
      );
      const blobs = await stack.cut(parts);
      const nameOf = new Map(known?.map(({ candidate }) => [candidate.id, candidate.external_id]));
      const chosen = new Map<File, ChosenCandidate>();
      const files = blobs.map((blob, index) => {
        const copy = ready[index];
        const id = copy?.candidate ?? null;
        const file = new File([blob], `${fileName(copy, nameOf.get(id ?? ''))}.pdf`, { type: blob.type });
        if (id !== null) chosen.set(file, { id });
        return file;
      });
      const added = copyQueueOf(examId).add(files, chosen);
      notify(t('exams.stack.taken', { count: added }));
      setHandedOver((before) => new Set([...before, ...ready.flatMap(keysOf)]));
      // The others would be lost with this page.
      if (ready.length < left.length) return;
      isKept.current = true;
      await navigate({ to: '/exams/$id/upload', params: { id: examId } });
    } catch {
      notifyProblem(t('exams.stack.notCut'));
    } finally {
      setCutting(false);
    }
  };

  return (
    <Page
      title={t('exams.stack.title', { title: exam.data?.title ?? '' })}
      actions={<BackToExam examId={examId} />}
    >
      <Column>
        <Text>
          {t('exams.stack.help')}{' '}
          <Anchor component={Link} to={`/exams/${examId}/covers`} underline="always">
            {t('exams.covers.print')}
          </Anchor>
        </Text>
        <DropArea
          drop={t('exams.stack.drop')}
          help={t('exams.stack.dropHelp')}
          choose={t('exams.stack.choose')}
          onFiles={stack.add}
        />
        {faults.length === 0 ? null : (
          <Alert role="alert" color="red" variant="outline" title={t('exams.stack.faults')}>
            <List>
              {faults.map(({ name, fault }, index) => (
                <List.Item key={index}>{`${name}: ${t(`exams.stack.fault.${fault}`)}`}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        {progress === null ? null : (
          <div>
            <Text size="sm" role="status">
              {t('exams.stack.progress', { ...progress })}
            </Text>
            <Progress
              value={(100 * progress.done) / Math.max(1, progress.count)}
              aria-label={t('exams.stack.looking')}
            />
          </div>
        )}
        {open ? (
          <>
            <Radio.Group
              label={t('exams.stack.rule')}
              value={ruleKind}
              onChange={(value) => setRule(RULES.find((rule) => rule === value) ?? null)}
            >
              <Group mt="xs">
                {RULES.map((rule) => (
                  <Radio key={rule} value={rule} label={t(`exams.stack.rule.${rule}`, { count: covers })} />
                ))}
              </Group>
            </Radio.Group>
            {ruleKind === 'count' ? (
              <NumberInput
                label={t('exams.stack.count')}
                min={1}
                max={80}
                allowDecimal={false}
                value={count}
                onChange={(value) => setCount(Math.min(80, Math.max(1, Number(value) || 1)))}
                w={160}
              />
            ) : null}
            <Text role="status">
              {t('exams.stack.summary', {
                count: left.length,
                doubtful: left.filter(({ doubts }) => doubts.length > 0).length,
                unmatched: left.filter(({ candidate }) => candidate === null).length,
                leftOut: left.flatMap((copy) => copy.pages).filter(({ isLeftOut }) => isLeftOut).length,
              })}
            </Text>
            {missing.length === 0 ? null : (
              <Text size="sm">
                {t('exams.stack.missing', {
                  count: missing.length,
                  names: missing.slice(0, MOST_NAMED).map(candidateName).join('; '),
                })}
              </Text>
            )}
            {left.map((copy) => (
              <StackCopy
                key={copy.key}
                number={copies.indexOf(copy) + 1}
                copy={copy}
                choices={choices}
                pictures={pictures}
                isSeen={seen.has(shownOf(copy))}
                onSeen={(isSeen) =>
                  setSeen((before) => {
                    const now = new Set(before);
                    if (isSeen) now.add(shownOf(copy));
                    else now.delete(shownOf(copy));
                    return now;
                  })
                }
                onPage={changePage}
                onEnlarge={setLarge}
                onCandidate={(id) => setOwners((before) => new Map(before).set(copy.key, id))}
              />
            ))}
            <Group justify="space-between">
              <Text>{t('exams.stack.waiting', { count: left.length - ready.length })}</Text>
              <Button
                disabled={ready.length === 0 || progress !== null}
                loading={isCutting}
                onClick={() => void takeOver()}
              >
                {t('exams.stack.takeOver', { count: ready.length })}
              </Button>
            </Group>
          </>
        ) : null}
      </Column>
      {large === null ? null : (
        <Modal
          opened
          onClose={() => setLarge(null)}
          title={t('exams.stack.page', { number: large.index + 1, file: large.file.name })}
          size="xl"
          closeButtonProps={{ 'aria-label': t('app.close') }}
        >
          <img
            className="stack-large"
            src={pictures.get(large.key)}
            alt={t('exams.stack.page', { number: large.index + 1, file: large.file.name })}
            style={{ transform: `rotate(${large.turn}deg)` }}
          />
        </Modal>
      )}
    </Page>
  );
};

const keysOf = ({ pages }: PlannedCopy): string[] => pages.map(({ key }) => key);

/** The id of the candidate, or the place in the stack. */
const fileName = (copy: PlannedCopy | undefined, externalId: string | undefined): string => {
  if (externalId !== undefined) return externalId;
  const [first, last] = [copy?.pages.at(0), copy?.pages.at(-1)];
  const stem = first?.file.name.replace(/\.\w+$/, '') ?? 'copy';
  return `${stem} pages ${(first?.index ?? 0) + 1} to ${(last?.index ?? 0) + 1}`;
};
