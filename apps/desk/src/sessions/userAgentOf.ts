import type { Request } from 'express';

const LONGEST = 500;

/** Name that the browser gives itself, for the list of sessions. */
export const userAgentOf = (request: Request): string => (request.get('user-agent') ?? '').slice(0, LONGEST);
