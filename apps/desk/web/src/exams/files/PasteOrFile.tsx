import { Button, FileButton, Group, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../app/language.ts';
import { FileProblems } from './FileProblems.tsx';
import { isWorkbook, type FileProblem } from './readTable.ts';

const TABLES = '.csv,.tsv,.txt,text/csv';
const TABLES_AND_JSON = `${TABLES},.json,application/json`;

/**
 * A field to paste a text into, or a file with the same content. Problems of the content are listed below the field.
 */
export const PasteOrFile = ({
  action,
  takesJson = false,
  isBusy = false,
  problems,
  onText,
}: {
  /** Label of the button that takes the pasted text. */
  action: string;
  takesJson?: boolean;
  isBusy?: boolean;
  problems: readonly FileProblem[];
  onText: (text: string) => void;
}) => {
  const t = useText();
  const [pasted, setPasted] = useState('');
  const [isOfExcel, setOfExcel] = useState(false);
  const take = (text: string) => {
    setOfExcel(isWorkbook(text));
    if (!isWorkbook(text)) onText(text);
  };
  return (
    <>
      <Textarea
        label={t('exams.import.paste')}
        autosize
        minRows={4}
        maxRows={12}
        value={pasted}
        onChange={({ currentTarget }) => setPasted(currentTarget.value)}
      />
      <Group>
        <Button
          variant="default"
          disabled={pasted.trim() === ''}
          loading={isBusy}
          onClick={() => take(pasted)}
        >
          {action}
        </Button>
        <FileButton
          accept={takesJson ? TABLES_AND_JSON : TABLES}
          onChange={(file) => {
            if (file !== null) void file.text().then(take);
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {t('exams.import.file')}
            </Button>
          )}
        </FileButton>
      </Group>
      <FileProblems problems={isOfExcel ? [{ line: 1, code: 'workbook' }] : problems} />
    </>
  );
};
