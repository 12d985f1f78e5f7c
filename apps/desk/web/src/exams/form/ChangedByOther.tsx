import { List, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import type { ChangedPart } from './mergeDrafts.ts';
import { nameOfDraftField } from './fieldNames.ts';

/** Says what another person has changed in the exam while the form was open. */
export const ChangedByOther = ({ places }: { places: readonly ChangedPart[] | null }) => {
  const t = useText();
  if (places === null) return null;
  return (
    <Notice kind="alert" title={t('exams.form.changed')}>
      <Text size="sm">{t('exams.form.changedHelp')}</Text>
      <List size="sm">
        {places.map((place) => {
          const name =
            'field' in place
              ? nameOfDraftField(place.field)
              : t('exams.form.question', { label: place.question });
          return (
            <List.Item key={name}>
              {place.isMineKept ? t('exams.form.changedByBoth', { place: name }) : name}
            </List.Item>
          );
        })}
      </List>
    </Notice>
  );
};
