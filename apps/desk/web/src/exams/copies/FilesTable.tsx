import { Button, Group, Image, Progress, Select, Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useText } from '../../app/language.ts';
import { textOfRejection } from '../../app/rejections.ts';
import { TableBox } from '../../app/TableBox.tsx';
import type { CopyOfCandidate } from '../types.ts';
import type { ChosenCandidate, CopyFile } from './copyFile.ts';
import type { CopyQueue } from './copyQueue.ts';
import { candidateName } from './useCandidates.ts';

interface Choice {
  value: string;
  label: string;
}

export const FilesTable = ({
  queue,
  files,
  candidates,
  firstPages,
}: {
  queue: CopyQueue;
  files: readonly CopyFile[];
  candidates: readonly CopyOfCandidate[];
  /** Addresses of pictures by key of the file. */
  firstPages: ReadonlyMap<string, string>;
}) => {
  const t = useText();
  const choices = useMemo(
    () => candidates.map((copy): Choice => ({ value: copy.candidate.id, label: candidateName(copy) })),
    [candidates],
  );
  return (
    <TableBox
      label={t('exams.upload.files')}
      minWidth={700}
      columns={[
        t('exams.upload.file'),
        t('exams.candidate'),
        t('exams.pages'),
        t('exams.status'),
        t('app.actions'),
      ]}
    >
      {files.map((file) => (
        <Table.Tr key={file.key}>
          <Table.Th scope="row" fw={500} maw={260} style={{ overflowWrap: 'anywhere' }}>
            {file.name}
            <FirstPage file={file} picture={firstPages.get(file.key)} />
          </Table.Th>
          <Table.Td>
            <CandidateChoice queue={queue} file={file} choices={choices} />
            <Guess queue={queue} file={file} choices={choices} />
          </Table.Td>
          <Table.Td>{file.pages ?? ''}</Table.Td>
          <Table.Td>
            <FileStatus file={file} />
          </Table.Td>
          <Table.Td>
            <FileActions queue={queue} file={file} />
          </Table.Td>
        </Table.Tr>
      ))}
    </TableBox>
  );
};

const NEW = 'new:';
const MOST_SHOWN = 50;
const IS_FIXED = new Set(['submitting', 'submitted', 'rejected']);

const valueOf = (candidate: ChosenCandidate | null): string | null => {
  if (candidate === null) return null;
  return 'id' in candidate ? candidate.id : `${NEW}${candidate.external_id}`;
};

interface ChoiceProps {
  queue: CopyQueue;
  file: CopyFile;
  choices: readonly Choice[];
}

const CandidateChoice = ({ queue, file, choices }: ChoiceProps) => {
  const t = useText();
  const id = file.name
    .replace(/\.pdf$/i, '')
    .trim()
    .slice(0, 128);
  const created: Choice = { value: `${NEW}${id}`, label: t('exams.upload.newCandidate', { id }) };
  return (
    <Select
      aria-label={t('exams.upload.candidateOf', { file: file.name })}
      placeholder={t('exams.upload.chooseCandidate')}
      data={[...choices, created]}
      value={valueOf(file.candidate)}
      onChange={(value) => queue.choose(new Map([[file.key, chosen(value)]]))}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('app.clear') }}
      limit={MOST_SHOWN}
      nothingFoundMessage={t('exams.noneFound')}
      disabled={IS_FIXED.has(file.step)}
      w={280}
    />
  );
};

/** The first page of a file without a candidate, with the writing of its owner. */
const FirstPage = ({ file, picture }: { file: CopyFile; picture: string | undefined }) => {
  const t = useText();
  if (picture === undefined || file.candidate !== null) return null;
  return <Image src={picture} alt={t('exams.upload.firstPage', { file: file.name })} w={240} mt={4} />;
};

/** The candidate whom a part of the file's name or a number on its first page names. One click accepts it. */
const Guess = ({ queue, file: { key, name, guess, candidate }, choices }: ChoiceProps) => {
  const t = useText();
  const label = choices.find(({ value }) => value === guess)?.label;
  if (guess === null || candidate !== null || label === undefined) return null;
  return (
    <Button
      size="compact-sm"
      variant="default"
      mt={4}
      aria-label={t('exams.upload.acceptGuess', { file: name, candidate: label })}
      onClick={() => queue.choose(new Map([[key, { id: guess }]]))}
    >
      {t('exams.upload.guess', { candidate: label })}
    </Button>
  );
};

const chosen = (value: string | null): ChosenCandidate | null => {
  if (value === null) return null;
  return value.startsWith(NEW) ? { external_id: value.slice(NEW.length) } : { id: value };
};

const FileStatus = ({ file }: { file: CopyFile }) => {
  const t = useText();
  const { step, fault } = file;
  const ownReason = step === 'rejected' && file.reason !== null ? textOfRejection(file.reason) : file.reason;
  const reason = fault === undefined ? ownReason : t(`exams.upload.${fault}`);
  const isEnd = step === 'rejected' || step === 'unsent' || step === 'refused';
  return (
    <>
      <Text size="sm" c={isEnd ? 'var(--mantine-color-error)' : undefined}>
        {t(`exams.upload.step.${file.step}`)}
      </Text>
      {file.step === 'sending' ? (
        <Progress
          value={100 * file.sent}
          aria-label={t('exams.upload.sent', { file: file.name })}
          size="sm"
        />
      ) : null}
      {reason === null ? null : <Text size="sm">{reason}</Text>}
    </>
  );
};

const FileActions = ({ queue, file }: { queue: CopyQueue; file: CopyFile }) => {
  const t = useText();
  const look = { size: 'compact-sm', variant: 'default' } as const;
  return (
    <Group gap="xs" wrap="nowrap">
      {file.canReplace ? (
        <Button {...look} onClick={() => queue.replace(file.key)}>
          {t('exams.upload.replace')}
        </Button>
      ) : null}
      {file.step === 'unsent' ? (
        <Button {...look} onClick={() => queue.retry(file.key)}>
          {t('app.tryAgain')}
        </Button>
      ) : null}
      {file.step === 'sending' || file.step === 'submitting' ? null : (
        <Button
          {...look}
          aria-label={t('exams.upload.removeFile', { file: file.name })}
          onClick={() => queue.remove(file.key)}
        >
          {t('exams.form.remove')}
        </Button>
      )}
    </Group>
  );
};
