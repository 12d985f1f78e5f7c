import { controlRouter } from './routers/control.ts';
import { gradingRouter } from './routers/grading.ts';
import { publicRouter } from './routers/public.ts';
import { router } from './trpc.ts';

/** Three doors with a token each (docs/architecture.md#the-picture). */
export const coreRouter = router({ public: publicRouter, grading: gradingRouter, control: controlRouter });
export type CoreRouter = typeof coreRouter;
