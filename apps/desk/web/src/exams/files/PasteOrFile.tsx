import { Button, FileButton, Group, Textarea } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { useText } from '../../app/language.ts';
import { FileProblems } from './FileProblems.tsx';
import { DoubtfulText } from './DoubtfulText.tsx';
import { openFile } from './openFile.ts';
import type { FileProblem } from './problems.ts';
import type { TableSource } from './readTable.ts';

const TABLES =
  '.csv,.tsv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const TABLES_AND_JSON = `${TABLES},.json,application/json`;

/** A pause in typing, in ms, after which a pasted text is read. */
const PAUSE = 300;

/**
 * A field to paste a text into, or a file with the same content. Problems of the content are listed below the field.
 * The same file can be chosen again after it was corrected.
 */
export const PasteOrFile = ({
  action,
  takesJson = false,
  columns,
  problems,
  onSource,
  onLeaveOut,
}: {
  /** Label of a button that takes the pasted text; without it the text is taken as soon as it stands there. */
  action?: string;
  takesJson?: boolean;
  /** Headings that the reader knows. */
  columns: readonly string[];
  problems: readonly FileProblem[];
  /** Null: what was taken before does not count any more, and there is nothing else. */
  onSource: (source: TableSource | null) => void;
  /** Reads the table without the columns that are not known. */
  onLeaveOut?: () => void;
}) => {
  const t = useText();
  const [pasted, setPasted] = useState('');
  const [ownProblems, setOwnProblems] = useState<readonly FileProblem[]>([]);
  const [doubtful, setDoubtful] = useState<string | null>(null);
  const resetFile = useRef<() => void>(null);
  /** Number of the latest reading; a file that is read more slowly than its successor is dropped. */
  const latest = useRef(0);
  const take = (source: TableSource | null, found: readonly FileProblem[] = []) => {
    latest.current += 1;
    setDoubtful(null);
    setOwnProblems(found);
    onSource(source);
  };
  const takePasted = (text: string) => take(text.trim() === '' ? null : text);
  const takeSoon = useDebouncedCallback(takePasted, PAUSE);
  const open = async (file: File) => {
    takeSoon.cancel();
    take(null);
    const own = latest.current;
    const opened = await openFile(file);
    if (own !== latest.current) return;
    if (opened.kind === 'doubtful') setDoubtful(opened.text);
    else if (opened.kind === 'source') take(opened.source);
    else take(null, opened.problems);
  };
  return (
    <>
      <Textarea
        label={t('exams.import.paste')}
        autosize
        minRows={4}
        maxRows={12}
        value={pasted}
        onChange={({ currentTarget: { value } }) => {
          setPasted(value);
          if (action === undefined) takeSoon(value);
        }}
      />
      <Group>
        {action === undefined ? null : (
          <Button variant="default" disabled={pasted.trim() === ''} onClick={() => takePasted(pasted)}>
            {action}
          </Button>
        )}
        <FileButton
          resetRef={resetFile}
          accept={takesJson ? TABLES_AND_JSON : TABLES}
          onChange={(file) => {
            resetFile.current?.();
            if (file !== null) void open(file);
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {t('exams.import.file')}
            </Button>
          )}
        </FileButton>
      </Group>
      {doubtful === null ? null : (
        <DoubtfulText
          text={doubtful}
          onRight={() => take(doubtful)}
          onWrong={() => take(null, [{ line: 1, code: 'other_encoding' }])}
        />
      )}
      <FileProblems problems={[...ownProblems, ...problems]} columns={columns} onLeaveOut={onLeaveOut} />
    </>
  );
};
