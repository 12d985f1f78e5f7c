import { Group, Table, Text, Title } from '@mantine/core';
import type { inferRouterOutputs } from '@trpc/server';
import type { PublicRouter } from '@evaluation/core-client';
import { useText } from '../app/language.ts';

type Outputs = inferRouterOutputs<PublicRouter>;
type Result = Outputs['submissions']['resultsOfExam']['data'][number];

/** Criteria whose marks add up to the mark: after a sum that a teacher typed, those of the AI do not count. */
const countedCriteria = ({ criteria, awarded }: Result['questions'][number]) => {
  const sum = criteria.reduce((total, criterion) => total + (criterion.awarded ?? 0), 0);
  return awarded !== null && Math.abs(sum - awarded) < 0.0001 ? criteria : [];
};

/** What a candidate gets back: marks, answers and remarks. Nothing of reviews and of who or what has marked. */
export const FeedbackSheet = ({
  title,
  texts,
  result,
}: {
  /** Of the exam. */
  title: string;
  /** Texts of the questions by id. */
  texts: ReadonlyMap<string, string>;
  result: Result;
}) => {
  const t = useText();
  const { candidate, totals } = result;
  return (
    <article className="printed-sheet" aria-label={candidate.external_id}>
      <Group justify="space-between" align="start" wrap="nowrap">
        <div>
          <Title order={2} size="h3">
            {title}
          </Title>
          <Text>
            {[candidate.name, candidate.roll_number, candidate.external_id]
              .filter((part, index, all) => part !== null && all.indexOf(part) === index)
              .join(' · ')}
          </Text>
        </div>
        <Text size="xl" fw={700} className="feedback-total">
          {totals.awarded} / {totals.max}
        </Text>
      </Group>
      <Table verticalSpacing="xs" mt="sm">
        <Table.Tbody>
          {result.questions.map((question) => {
            const { question_id, label, awarded, max, counted, extracted_answer, feedback, review } =
              question;
            const criteria = countedCriteria(question);
            return (
              <Table.Tr key={question_id}>
                <Table.Th scope="row" w={56}>
                  {label}
                </Table.Th>
                <Table.Td>
                  <Text size="sm" dir="auto" c="dimmed" className="feedback-text">
                    {texts.get(question_id)}
                  </Text>
                  <Text dir="auto" className="feedback-text">
                    {extracted_answer == null || extracted_answer === ''
                      ? t('marking.noAnswer')
                      : extracted_answer}
                  </Text>
                  {review.reason === null ? null : (
                    <Text dir="auto" fw={700} className="feedback-text">
                      {review.reason}
                    </Text>
                  )}
                  {feedback === null || feedback === '' || feedback === review.reason ? null : (
                    <Text size="sm" dir="auto" className="feedback-text">
                      {feedback}
                    </Text>
                  )}
                  {criteria.length === 0 ? null : (
                    <Text size="sm">
                      {criteria
                        .map(
                          ({ name, awarded: given, max: most }) => `${name} ${given ?? '–'}/${most ?? '–'}`,
                        )
                        .join(' · ')}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td ta="right" w={90}>
                  <Text fw={700}>
                    {awarded ?? '–'} / {max}
                  </Text>
                  {counted ? null : <Text size="xs">{t('deciding.return.notCounted')}</Text>}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </article>
  );
};
