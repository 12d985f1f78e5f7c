import { submit, createExam, uploadCopy } from '../../harness/api.ts';
import { handwrittenExam, longAnswer } from '../../harness/papers.ts';
import { plainPdf, untilInspected } from '../../harness/pdfs.ts';
import { closedLoops } from '../measuring/load.ts';
import { cpuInAll } from '../measuring/rounds.ts';
import type { Row } from '../measuring/row.ts';
import { startFacadeAndCore } from '../measuring/service.ts';
import { stack } from './stack.ts';
import { untilAllGraded } from './typed.ts';

const PAGES = 10;
const QUESTIONS = 10;
const COPIES = 4;
const OURS = 'copy, upload → graded and drawn';

/** Copies of print, so that no text is read by OCR. */
export const copyRow: Row = {
  name: 'copy10',
  warmRounds: 8,
  what: `handwritten copy of ${PAGES} pages and ${QUESTIONS} questions without OCR, from the upload until it is graded`,
  async open(servers, scale) {
    const { add, close } = stack();
    try {
      const service = add(await startFacadeAndCore(servers));
      await service.startWorker();
      const questions = Array.from({ length: QUESTIONS }, (_, at) => longAnswer(String(at + 1)));
      const exam = await createExam(service.api, handwrittenExam({ questions }));
      const count = Math.max(1, Math.round(COPIES * scale));
      let candidates = 0;
      return {
        sides: [
          {
            name: OURS,
            parts: service.parts,
            database: service.database,
            operations: count,
            round: async () => {
              await closedLoops(count, 2, async () => {
                candidates += 1;
                const candidate = { external_id: `copy-${candidates}` };
                const upload_id = await uploadCopy(service.api, plainPdf(PAGES));
                await untilInspected(service.api, upload_id);
                await submit(service.api, exam.id, { candidate, upload_id });
              });
              await untilAllGraded(service.database);
              servers.model.reset();
            },
          },
        ],
        close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  },
  verdicts: (measured) => [
    { what: 'CPU in all, ms', value: measured.value(OURS, cpuInAll), atMost: 400 },
    { what: 'transactions', value: measured.of(OURS)?.transactions ?? null, atMost: 8 },
  ],
};
