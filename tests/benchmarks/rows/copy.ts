import { submit, createExam, uploadCopy } from '../../harness/api.ts';
import { handwrittenExam, longAnswer } from '../../harness/papers.ts';
import { plainPdf, untilInspected } from '../../harness/pdfs.ts';
import { closedLoops } from '../measuring/load.ts';
import { cpuInAll, type Side } from '../measuring/rounds.ts';
import type { Row } from '../measuring/row.ts';
import { startFacadeAndCore } from '../measuring/service.ts';
import { stack } from './stack.ts';
import { untilAllGraded } from './typed.ts';

const PAGES = 10;
const QUESTIONS = 10;
const COPIES = 4;
const OURS = 'copy, upload → graded and drawn';
const UPLOADED = 'its upload → inspected';

/** Copies of print, so that no text is read by OCR. */
export const copyRow: Row = {
  name: 'copy10',
  warmRounds: 8,
  what: `handwritten copy of ${PAGES} pages and ${QUESTIONS} questions without OCR, from the upload until it is graded`,
  async open(servers, scale) {
    const { add, close } = stack();
    try {
      const count = Math.max(1, Math.round(COPIES * scale));
      // Transactions are counted per database, so each side has a service of its own.
      const newSide = async (name: string, isSubmitted: boolean): Promise<Side> => {
        const service = add(await startFacadeAndCore(servers));
        await service.startWorker();
        const questions = Array.from({ length: QUESTIONS }, (_, at) => longAnswer(String(at + 1)));
        const exam = await createExam(service.api, handwrittenExam({ questions }));
        let candidates = 0;
        return {
          name,
          parts: service.parts,
          database: service.database,
          operations: count,
          round: async () => {
            await closedLoops(count, 2, async () => {
              candidates += 1;
              const candidate = { external_id: `copy-${candidates}` };
              const upload_id = await uploadCopy(service.api, plainPdf(PAGES));
              await untilInspected(service.api, upload_id);
              if (isSubmitted) await submit(service.api, exam.id, { candidate, upload_id });
            });
            if (isSubmitted) await untilAllGraded(service.database);
            servers.model.reset();
          },
        };
      };
      return { sides: [await newSide(OURS, true), await newSide(UPLOADED, false)], close };
    } catch (error) {
      await close();
      throw error;
    }
  },
  verdicts: (measured) => {
    const [copy, upload] = [OURS, UPLOADED].map((side) => measured.of(side)?.transactions ?? null);
    return [
      { what: 'CPU in all, ms', value: measured.value(OURS, cpuInAll), atMost: 400 },
      {
        what: 'transactions from the submission on',
        value: copy == null || upload == null ? null : copy - upload,
        atMost: 8,
      },
    ];
  },
};
