import { Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '../../app/language.ts';

/** Section of a question: one of the declared ones, or a name if none are declared. */
export const SectionField = ({
  sections,
  id,
  value,
  isDraft,
  error,
  onChange,
}: {
  sections: readonly string[];
  id: string;
  value: string;
  isDraft: boolean;
  error: ReactNode;
  onChange: (section: string) => void;
}) => {
  const t = useText();
  const label = t('exams.form.section');
  if (sections.length === 0) {
    return (
      <TextInput
        id={id}
        label={label}
        maxLength={64}
        w={120}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        disabled={!isDraft}
        error={error}
      />
    );
  }
  // A section that was removed stays visible with its problem.
  const names = new Set([...sections, value].filter((name) => name !== ''));
  return (
    <Select
      id={id}
      label={label}
      w={160}
      data={[...names]}
      value={value === '' ? null : value}
      onChange={(name) => onChange(name ?? '')}
      disabled={!isDraft}
      error={error}
    />
  );
};
