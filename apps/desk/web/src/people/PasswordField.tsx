import { PasswordInput } from '@mantine/core';
import { useText } from '../app/language.ts';
import { MAX_PASSWORD, MIN_PASSWORD } from './passwordRule.ts';

interface Field {
  name: string;
  error?: string | undefined;
}

/** A required password. Its toggle, which shows the text, can be reached by keyboard. */
export const PasswordField = ({
  name,
  error,
  label,
  description,
  autoComplete = 'current-password',
  maxLength,
}: Field & {
  label: string;
  description?: string;
  autoComplete?: 'current-password' | 'new-password';
  maxLength?: number;
}) => {
  const t = useText();
  return (
    <PasswordInput
      name={name}
      label={label}
      description={description}
      autoComplete={autoComplete}
      required
      withAsterisk={false}
      maxLength={maxLength}
      error={error}
      visibilityToggleButtonProps={{ 'aria-label': t('people.showPassword'), tabIndex: 0 }}
    />
  );
};

/** A password that a person chooses, with its rule. */
export const NewPasswordField = ({ name, error }: Field) => {
  const t = useText();
  return (
    <PasswordField
      name={name}
      error={error}
      label={t('people.newPassword')}
      description={t('people.password.rule', { count: MIN_PASSWORD })}
      autoComplete="new-password"
      maxLength={MAX_PASSWORD}
    />
  );
};
