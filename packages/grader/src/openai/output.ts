import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';

/**
 * How the endpoint is made to follow the schema of a reply. The schema validates each reply in any case; the setting
 * decides only how often the first one is valid.
 *
 *   json_schema  `response_format` with the strict schema: OpenAI, vLLM, Ollama, llama.cpp, most gateways
 *   json_object  `response_format` for JSON of any shape; the schema is in the system message
 *   text         no `response_format`; the schema is in the system message
 */
export type Output = 'json_schema' | 'json_object' | 'text';

export interface ReplySchema {
  name: string;
  schema: Record<string, unknown>;
}

export const askedIn = (
  output: Output,
  messages: readonly ChatCompletionMessageParam[],
  { name, schema }: ReplySchema,
): Pick<ChatCompletionCreateParamsNonStreaming, 'messages' | 'response_format'> => {
  if (output === 'json_schema') {
    const json_schema = { name, schema, strict: true };
    return { messages: [...messages], response_format: { type: 'json_schema', json_schema } };
  }
  // In the system message, which is equal for all questions of a kind, so that prompts begin alike.
  const rule = [
    'Answer with one JSON object and nothing else: no Markdown, no words before or after it. It fits this JSON schema.',
    `Schema ${name}: ${JSON.stringify(schema)}`,
  ].join('\n');
  const withRule = messages.map((message) =>
    message.role === 'system' && typeof message.content === 'string'
      ? { ...message, content: `${message.content}\n\n${rule}` }
      : message,
  );
  return {
    messages: withRule,
    ...(output === 'json_object' ? { response_format: { type: 'json_object' as const } } : {}),
  };
};
