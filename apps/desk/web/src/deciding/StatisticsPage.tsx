import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { Page } from '../app/Page.tsx';
import { Section } from '../app/Section.tsx';
import { AgreementPicture } from './AgreementPicture.tsx';
import { AgreementTable } from './AgreementTable.tsx';
import { Answered } from '../app/Answered.tsx';
import { DistributionPicture } from './DistributionPicture.tsx';
import { DistributionTable } from './DistributionTable.tsx';
import { ExamLinks } from './ExamLinks.tsx';
import { PeopleTable } from './PeopleTable.tsx';

export const StatisticsPage = () => {
  const t = useText();
  const { examId } = useParams({ from: '/signed-in/exams/$examId/statistics' });
  const agreement = useQuery(calls.desk.statistics.agreement.queryOptions({ exam_id: examId }));
  const distribution = useQuery(calls.desk.statistics.distribution.queryOptions({ exam_id: examId }));
  const people = useQuery(calls.desk.statistics.people.queryOptions({ exam_id: examId }));
  const [chosen, setChosen] = useState<string | null>(null);
  const [counted, setCounted] = useState<string | null>(null);
  return (
    <Page title={t('deciding.statistics.title')}>
      <ExamLinks examId={examId} here="/statistics" />
      <Stack gap="xl">
        <Section id="agreement" title={t('deciding.agreement.title')}>
          <Answered query={agreement}>
            {(data) => {
              const shown =
                data.questions.find(({ question_id }) => question_id === chosen) ?? data.questions[0];
              if (shown === undefined) return <Text>{t('deciding.agreement.none')}</Text>;
              return (
                <Stack>
                  <Text>{t('deciding.agreement.explained', { most: data.most_of_a_question })}</Text>
                  <Select
                    label={t('deciding.question')}
                    w={200}
                    allowDeselect={false}
                    data={data.questions.map(({ question_id, label }) => ({ value: question_id, label }))}
                    value={shown.question_id}
                    onChange={setChosen}
                  />
                  <AgreementPicture question={shown} />
                  <AgreementTable agreement={data} />
                </Stack>
              );
            }}
          </Answered>
        </Section>
        <Section id="distribution" title={t('deciding.distribution.title')}>
          <Answered query={distribution}>
            {(data) => {
              const question = data.questions.find(({ question_id }) => question_id === counted);
              if (data.counted === 0) return <Text>{t('deciding.distribution.none')}</Text>;
              return (
                <Stack>
                  <Text>
                    {t(data.is_complete ? 'deciding.distribution.all' : 'deciding.distribution.some', {
                      count: data.counted,
                      live: data.live,
                    })}
                  </Text>
                  <Select
                    label={t('deciding.distribution.of')}
                    w={200}
                    allowDeselect={false}
                    data={[
                      { value: 'total', label: t('deciding.distribution.total') },
                      ...data.questions.map(({ question_id, label }) => ({ value: question_id, label })),
                    ]}
                    value={counted ?? 'total'}
                    onChange={setCounted}
                  />
                  <DistributionPicture
                    bins={(question ?? data.totals).bins}
                    name={question === undefined ? null : question.label}
                  />
                  <DistributionTable distribution={data} />
                  <Text size="sm">{t('deciding.distribution.explained')}</Text>
                </Stack>
              );
            }}
          </Answered>
        </Section>
        <Section id="people" title={t('deciding.people.title')}>
          <Answered query={people}>{(data) => <PeopleTable marks={data} />}</Answered>
        </Section>
      </Stack>
    </Page>
  );
};
