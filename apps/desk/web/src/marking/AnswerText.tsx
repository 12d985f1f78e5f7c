import { Text } from '@mantine/core';
import { partsOf } from './quotation.ts';

/** Shows an answer and highlights the words on which a mark rests. */
export const AnswerText = ({ text, quotation }: { text: string; quotation: string | null }) => (
  <Text component="div" className="marking-answer" dir="auto">
    {partsOf(text, quotation).map((part, index) =>
      part.isQuoted ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
    )}
  </Text>
);
