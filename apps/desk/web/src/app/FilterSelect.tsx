import { Select, type SelectProps } from '@mantine/core';
import { useText } from './language.ts';

/** Filter of a list; without a choice the list shows all. */
export const FilterSelect = (props: SelectProps) => {
  const t = useText();
  return (
    <Select
      placeholder={t('app.all')}
      clearable
      clearButtonProps={{ 'aria-label': t('app.clear') }}
      {...props}
    />
  );
};
