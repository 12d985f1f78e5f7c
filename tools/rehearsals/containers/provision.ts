interface Provisioned {
  instituteId: string;
  apiKey: string;
  teacher: { email: string; password: string };
}

/** Creates an institute, a key and an account of the desk with the command in core's image. */
export const provision = async (
  admin: (words: readonly string[], input?: string) => Promise<string>,
): Promise<Provisioned> => {
  const field = async (name: string, words: readonly string[]): Promise<string> => {
    const answer: unknown = JSON.parse(await admin([...words, '--json']));
    if (typeof answer !== 'object' || answer === null || !(name in answer))
      throw new Error(`${words.join(' ')} printed no ${name}`);
    return String(Object.entries(answer).find(([key]) => key === name)?.[1]);
  };
  const instituteId = await field('institute_id', [
    'institute',
    'create',
    '--name',
    'Rehearsal School',
    '--credits',
    '100000',
  ]);
  const scopes = ['read', 'write', 'review', 'finalize'].map((scope) => `evaluation:${scope}`).join();
  const apiKey = await field('api_key', ['key', 'create', '--institute', instituteId, '--scopes', scopes]);
  const teacher = { email: 'teacher@example.org', password: 'a long passphrase of the rehearsal' };
  const account = ['--institute', instituteId, '--email', teacher.email, '--name', 'Teacher'];
  await admin(
    ['staff', 'invite', ...account, '--role', 'admin', '--password-stdin'],
    `${teacher.password}\n`,
  );
  return { instituteId, apiKey, teacher };
};
