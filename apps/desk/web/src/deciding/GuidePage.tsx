import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { Section } from '../app/Section.tsx';
import { useStaff } from '../app/session.ts';
import { Answered } from '../app/Answered.tsx';
import { ApplyGuide } from './ApplyGuide.tsx';
import { ExamLinks } from './ExamLinks.tsx';
import { GuideCurve } from './GuideCurve.tsx';
import { GuideSettings } from './GuideSettings.tsx';
import { Suggestions } from './Suggestions.tsx';

export const GuidePage = () => {
  const t = useText();
  const { examId } = useParams({ from: '/signed-in/exams/$examId/guide' });
  const isAdmin = useStaff().role === 'admin';
  const guide = useQuery(calls.guide.show.queryOptions({ exam_id: examId }));
  const [chosen, setChosen] = useState<string | null>(null);
  return (
    <Page title={t('deciding.guide.title')}>
      <ExamLinks examId={examId} here="/guide" />
      <Answered query={guide}>
        {(shown) => {
          const question =
            shown.questions.find(({ question_id }) => question_id === chosen) ?? shown.questions[0];
          return (
            <Stack gap="xl">
              <Text maw="70ch">{t('deciding.guide.explained')}</Text>
              <GuideSettings
                key={`${shown.mode} ${shown.target} ${shown.passing_stopped_at}`}
                guide={shown}
                isAdmin={isAdmin}
              />
              <ApplyGuide guide={shown} isAdmin={isAdmin} />
              <Section id="question" title={t('deciding.guide.byQuestion')}>
                {question === undefined ? (
                  <Text>{t('deciding.guide.noQuestion')}</Text>
                ) : (
                  <Stack>
                    <Select
                      label={t('deciding.question')}
                      w={320}
                      allowDeselect={false}
                      data={shown.questions.map(({ question_id, label, examples }) => ({
                        value: question_id,
                        label: t('deciding.guide.questionWith', { label, count: examples }),
                      }))}
                      value={question.question_id}
                      onChange={setChosen}
                    />
                    <GuideCurve examId={examId} question={question} />
                    {shown.mode === 'off' ? null : (
                      <Suggestions key={question.question_id} examId={examId} question={question} />
                    )}
                  </Stack>
                )}
              </Section>
            </Stack>
          );
        }}
      </Answered>
    </Page>
  );
};
