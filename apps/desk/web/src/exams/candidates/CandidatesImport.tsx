import { Button, Fieldset, Group, Loader, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { CandidateInput } from '@evaluation/rest-contract/schemas';
import { failureIn } from '../../app/failures.ts';
import { problemsIn } from '../../app/fieldProblems.ts';
import { useText } from '../../app/language.ts';
import { notifyError } from '../../app/notices.ts';
import { CANDIDATE_HEADINGS } from '../files/candidateFields.ts';
import { ComparisonPreview } from '../files/ComparisonPreview.tsx';
import { PasteOrFile } from '../files/PasteOrFile.tsx';
import type { FileProblem } from '../files/problems.ts';
import { readCandidates } from '../files/readCandidates.ts';
import type { TableSource } from '../files/readTable.ts';
import { useComparison } from '../files/useComparison.ts';

/** Candidates of a table: read, compared with those that are stored, and registered by a button. */
export const CandidatesImport = ({
  onRegister,
}: {
  onRegister: (candidates: CandidateInput[]) => Promise<unknown>;
}) => {
  const t = useText();
  /** React key of the field for a table: after each registered table the field is made anew and is empty. */
  const [imports, setImports] = useState(0);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const [isBusy, setBusy] = useState(false);
  const comparison = useComparison();
  const { data: compared } = comparison;
  const [chosen, setChosen] = useState<TableSource | null>(null);
  const read = (source: TableSource | null, leavesOutUnknown = false) => {
    comparison.reset();
    setProblems([]);
    setChosen(source);
    if (source === null) return;
    const { candidates, problems: found } = readCandidates(source, leavesOutUnknown);
    setProblems(found);
    if (found.length === 0) comparison.mutate(candidates);
  };
  const register = async () => {
    if (compared === undefined) return;
    setBusy(true);
    try {
      await onRegister(compared.candidates.map(({ candidate }) => candidate));
      comparison.reset();
      setImports(imports + 1);
    } catch (error) {
      const found = problemsOfRows(error, compared.candidates);
      setProblems(found);
      if (found.length === 0) notifyError(error);
      else comparison.reset();
    }
    setBusy(false);
  };
  return (
    <Fieldset legend={t('exams.candidates.many')}>
      <Stack gap="sm">
        <Text size="sm">{t('exams.candidates.help')}</Text>
        <PasteOrFile
          key={imports}
          columns={CANDIDATE_HEADINGS}
          problems={[...problems, ...(compared?.problems ?? [])]}
          onSource={read}
          onLeaveOut={() => read(chosen, true)}
        />
        {comparison.isPending ? <Loader size="sm" aria-label={t('app.loading')} /> : null}
        {compared === undefined || compared.problems.length > 0 ? null : (
          <>
            <ComparisonPreview comparison={compared} />
            <Group justify="flex-end">
              <Button loading={isBusy} onClick={() => void register()}>
                {t('exams.candidates.register')}
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Fieldset>
  );
};

/** Problems that core reports by the place of a candidate in the request, by the row of the file. */
const problemsOfRows = (error: unknown, sent: readonly { line: number }[]): FileProblem[] =>
  [...problemsIn(failureIn(error)?.details)].map(([field, message]) => {
    const [, place, name = ''] = /^candidates\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const line = sent[Number(place ?? -1)]?.line ?? 1;
    return { line, code: 'refused', about: name === '' ? message : `${name}: ${message}` };
  });
