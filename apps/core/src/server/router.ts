import { controlRouter } from './routers/control.ts';
import { gradingRouter } from './routers/grading.ts';
import { publicRouter } from './routers/public.ts';
import { router } from './trpc.ts';

/** Each of the three routers requires a token of its own (docs/architecture.md#the-picture). */
export const coreRouter = router({ public: publicRouter, grading: gradingRouter, control: controlRouter });
export type CoreRouter = typeof coreRouter;
