import './covers.css';
import { Alert, Button, Group, NumberInput, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { calls } from '../../app/calls.ts';
import { textOfError } from '../../app/failures.ts';
import { useText } from '../../app/language.ts';
import { Page } from '../../app/Page.tsx';
import { BackToExam } from '../BackToExam.tsx';
import { useCandidates } from '../copies/useCandidates.ts';
import { textOfCover } from '../paper/cover.ts';
import { openStackWorker } from '../paper/openStackWorker.ts';
import type { CodeSquares } from '../paper/stack.worker.ts';

/** Boxes for a roll number that is written by hand. */
const BOXES = 8;
const MOST_BLANK = 200;

/** Cover pages for the copies of an exam, one for each candidate, printed by the browser. */
export const CoversPage = () => {
  const t = useText();
  const { id: examId = '' } = useParams({ strict: false });
  const exam = useQuery(calls.desk.exams.overview.queryOptions({ exam_id: examId }));
  const candidates = useCandidates(examId);
  const [blank, setBlank] = useState(0);
  const people = (candidates.data ?? []).map(({ candidate }) => candidate);
  const codes = useQuery({
    queryKey: ['covers', examId, people.map(({ id }) => id)],
    queryFn: async () => {
      const ids = [...people.map(({ id }) => id), null];
      const { calls: inWorker, end } = openStackWorker();
      try {
        const squares = await inWorker.codes(
          ids.map((id) => textOfCover({ exam_id: examId, candidate_id: id })),
        );
        return new Map(ids.map((id, index) => [id, squares[index]]));
      } finally {
        end();
      }
    },
    enabled: candidates.isSuccess,
    gcTime: 0,
  });
  const problem = exam.error ?? candidates.error ?? codes.error;
  const title = exam.data?.title ?? '';
  const blanks = Array.from({ length: blank }, (_, index) => index);
  return (
    <Page
      title={t('exams.covers.title', { title })}
      actions={
        <span className="no-print">
          <BackToExam examId={examId} />
        </span>
      }
    >
      <div className="no-print">
        {problem === null ? null : (
          <Alert role="alert" color="red" variant="outline" mb="sm">
            {textOfError(problem)}
          </Alert>
        )}
        <Text mb="sm">{t('exams.covers.help')}</Text>
        <Group align="end" mb="md">
          <NumberInput
            label={t('exams.covers.blank')}
            min={0}
            max={MOST_BLANK}
            allowDecimal={false}
            value={blank}
            onChange={(value) => setBlank(Math.min(MOST_BLANK, Math.max(0, Number(value) || 0)))}
            w={220}
          />
          <Button disabled={!codes.isSuccess || people.length + blank === 0} onClick={() => print()}>
            {t('exams.covers.printNow', { count: people.length + blank })}
          </Button>
        </Group>
      </div>
      {codes.isSuccess
        ? [...people, ...blanks.map(() => null)].map((person, index) => (
            <section
              key={person?.id ?? index}
              className="printed-sheet"
              aria-label={t('exams.covers.coverOf', { name: person?.name ?? person?.external_id ?? '' })}
            >
              <div className="cover-head">
                <div>
                  <Text fw={700} size="xl">
                    {title}
                  </Text>
                  {person === null ? null : (
                    <>
                      <Text size="xl">{person.name ?? ''}</Text>
                      <Text>{t('exams.covers.roll', { roll: person.roll_number ?? '–' })}</Text>
                      <Text>{t('exams.covers.id', { id: person.external_id })}</Text>
                    </>
                  )}
                </div>
                <Code squares={codes.data.get(person?.id ?? null)} />
              </div>
              {person === null ? <RollBoxes /> : null}
              <Text size="sm" mt="md">
                {t('exams.covers.rule')}
              </Text>
            </section>
          ))
        : null}
    </Page>
  );
};

const Code = ({ squares }: { squares: CodeSquares | undefined }) => {
  if (squares === undefined) return null;
  const { data, width } = squares;
  const dark = [...data]
    .map((level, at) => (level < 128 ? `M${at % width} ${Math.floor(at / width)}h1v1h-1z` : ''))
    .join('');
  // White beside the code, four squares wide, as readers need it.
  return (
    <svg
      className="cover-code"
      viewBox={`-4 -4 ${width + 8} ${width + 8}`}
      aria-hidden
      shapeRendering="crispEdges"
    >
      <rect x={-4} y={-4} width={width + 8} height={width + 8} fill="#fff" />
      <path d={dark} fill="#000" />
    </svg>
  );
};

const RollBoxes = () => {
  const t = useText();
  return (
    <div className="cover-boxes">
      <Text>{t('exams.covers.boxes')}</Text>
      <div>
        {Array.from({ length: BOXES }, (_, index) => (
          <span key={index} />
        ))}
      </div>
    </div>
  );
};
