import * as z from 'zod/v4';

/** The schemas of clients' own JSON objects, whose numbers are returned digit by digit (`exactJson.ts`). */
export const clientObjects = z.registry();
