import {
  Badge,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Select,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { Notice } from '../exams/Notice.tsx';

const TYPE = [
  ['h2', 'Heading of a page'],
  ['h3', 'Heading of a section'],
  ['h4', 'Heading of a part'],
  ['md', 'Text of a page'],
  ['sm', 'Text of tables, notices and fields'],
  ['xs', 'Help of a field'],
] as const;

const SPACES = [
  ['xs', 'between parts of a row'],
  ['sm', 'between fields'],
  ['md', 'between blocks, inside a frame'],
  ['lg', 'inside a dialog'],
  ['xl', 'between sections'],
] as const;

const COLOURS = [
  ['text', 'text and default buttons'],
  ['dimmed', 'what explains or comes second'],
  ['default-border', 'frames and lines'],
  ['blue-filled', 'the next step, links, what is chosen'],
  ['error', 'what must be corrected, and what cannot be undone'],
  ['orange-7', 'not saved, or changed by another person'],
  ['yellow-7', 'frame of a note'],
  ['green-7', 'done'],
] as const;

/** What the pages of the desk are made of, with the meaning of each. */
export const StyleSheet = ({ scheme }: { scheme: 'light' | 'dark' }) => (
  <Stack gap="xl">
    <Title order={1} size="h2">
      The style of the desk, {scheme}
    </Title>
    <Part title="Type">
      {TYPE.map(([size, use]) =>
        size.startsWith('h') ? (
          <Text key={size} fz={size} fw={700}>
            {use} ({size})
          </Text>
        ) : (
          <Text key={size} size={size}>
            {use} ({size})
          </Text>
        ),
      )}
    </Part>
    <Part title="Spaces">
      {SPACES.map(([size, use]) => (
        <Group key={size} gap="sm">
          <div
            style={{ width: `var(--mantine-spacing-${size})`, height: '1rem', background: 'currentcolor' }}
          />
          <Text size="sm">
            {size}: {use}
          </Text>
        </Group>
      ))}
    </Part>
    <Part title="Colours">
      <Table>
        <Table.Tbody>
          {COLOURS.map(([name, meaning]) => (
            <Table.Tr key={name}>
              <Table.Td w={48}>
                <div style={{ height: '1.5rem', background: `var(--mantine-color-${name})` }} />
              </Table.Td>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="sm">A colour never stands alone: a word or a sign says the same.</Text>
    </Part>
    <Part title="Buttons">
      <Group>
        <Button>The next step</Button>
        <Button variant="default">Another step</Button>
        <Button variant="subtle">Opens something here</Button>
        <Button variant="subtle" color="red">
          Remove
        </Button>
        <Button variant="default" disabled>
          Not possible now
        </Button>
        <Button variant="default" size="compact-sm">
          In a table
        </Button>
      </Group>
    </Part>
    <Part title="Badges">
      <Group>
        <Badge tt="none">State of this page</Badge>
        <Badge variant="default">State of a row</Badge>
      </Group>
    </Part>
    <Part title="Notices">
      <Notice kind="note">A note informs.</Notice>
      <Notice kind="problem" title="A problem has a title">
        It says what to do, and screen readers announce it at once.
      </Notice>
    </Part>
    <Part title="Fields">
      <TextInput label="Text" required defaultValue="Light and lenses" />
      <NumberInput label="Number" defaultValue={2} step={0.5} />
      <Select label="Choice" data={['One', 'Two']} defaultValue="One" allowDeselect={false} />
      <Textarea label="Long text" description="Help stands between label and field." minRows={2} />
      <TextInput label="With a problem" defaultValue="1.3" error="Marks go in steps of 0.5." />
      <Checkbox label="Yes or no" description="What the tick does." defaultChecked />
    </Part>
  </Stack>
);

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <Stack gap="sm">
    <Title order={2} size="h3">
      {title}
    </Title>
    {children}
  </Stack>
);
