import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useText } from '../app/language.ts';

export const BackToExam = ({ examId }: { examId: string }) => {
  const t = useText();
  return (
    <Anchor component={Link} to={`/exams/${examId}`}>
      {t('exams.backToExam')}
    </Anchor>
  );
};
