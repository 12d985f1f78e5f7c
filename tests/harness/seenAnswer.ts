/**
 * Status, headers and body of an answer, to compare two answers. Leaves out parts that differ between any two answers,
 * and replaces the `id` that the request sent.
 */
export const seen = async (
  response: Response,
  id: string,
): Promise<{ status: number; headers: string; body: string }> => {
  const body = await response.text();
  const requestId = response.headers.get('x-request-id') ?? 'none';
  const isEchoed = body.includes(id);
  return {
    status: response.status,
    headers: JSON.stringify(
      [...response.headers].filter(
        ([name]) =>
          !/^(?:date|x-request-id|ratelimit-.*)$/.test(name) && !(isEchoed && name === 'content-length'),
      ),
    ),
    body: body.replaceAll(requestId, '').replaceAll(id, 'THE ID'),
  };
};
