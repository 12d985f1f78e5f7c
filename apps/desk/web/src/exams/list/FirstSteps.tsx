import { Anchor, Button, Group, List, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useText } from '../../app/language.ts';
import { notifyError } from '../../app/notices.ts';
import { Section } from '../../app/Section.tsx';

/** What an institute without exams sees: the way to the first marked copy, and a sample to try it. */
export const FirstSteps = () => {
  const t = useText();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const sample = useMutation({
    mutationFn: async () => (await import('./sampleExam.ts')).makeSampleExam(t('exams.sample.name')),
    onSuccess: async (id) => {
      await queryClient.invalidateQueries();
      await navigate({ to: `/exams/${id}` });
    },
    onError: notifyError,
  });
  return (
    <Section id="first-steps" title={t('exams.steps')}>
      <List type="ordered" spacing="sm" mb="md">
        <List.Item>
          <Anchor component={Link} to="/exams/new" underline="always">
            {t('exams.steps.exam')}
          </Anchor>{' '}
          {t('exams.steps.examHelp')}
        </List.Item>
        <List.Item>{t('exams.steps.copies')}</List.Item>
        <List.Item>{t('exams.steps.mark')}</List.Item>
      </List>
      <Text mb="xs">{t('exams.sample.help')}</Text>
      <Group>
        <Button variant="default" loading={sample.isPending} onClick={() => sample.mutate()}>
          {t('exams.sample.try')}
        </Button>
        {sample.isPending ? <Text role="status">{t('exams.sample.making')}</Text> : null}
      </Group>
    </Section>
  );
};
