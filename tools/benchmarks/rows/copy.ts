import { submit, createExam, uploadCopy } from '../../../tests/harness/api.ts';
import { handwrittenExam, longAnswer } from '../../../tests/harness/papers.ts';
import { largeCopy } from '../../../tests/harness/largeCopy.ts';
import { plainPdf, untilInspected } from '../../../tests/harness/pdfs.ts';
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

interface CopyWork {
  name: string;
  what: string;
  newPdf: () => Promise<Uint8Array>;
  targets?: { cpu: number; transactions: number };
}

/** No text is read by OCR, because the model reads the pages. */
const copyRow = (work: CopyWork): Row => ({
  name: work.name,
  warmRounds: 8,
  what: `handwritten copy of ${PAGES} ${work.what} and ${QUESTIONS} questions without OCR, from the upload until it is graded`,
  async open(servers, scale) {
    const { add, close } = stack();
    try {
      const count = Math.max(1, Math.round(COPIES * scale));
      const pdf = await work.newPdf();
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
            const uploads: string[] = [];
            await closedLoops(count, 2, async () => {
              const upload = await uploadCopy(service.api, pdf);
              await untilInspected(service.api, upload);
              uploads.push(upload);
            });
            if (!isSubmitted) return;
            // After all inspections, so that these take as many transactions as those of the other side.
            await closedLoops(count, 2, async () => {
              candidates += 1;
              const candidate = { external_id: `copy-${candidates}` };
              await submit(service.api, exam.id, { candidate, upload_id: uploads.pop() });
            });
            const outcome = await untilAllGraded(service.database);
            servers.model.reset();
            return outcome;
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
    const cpu = { what: 'CPU in all, ms', value: measured.value(OURS, cpuInAll) };
    if (work.targets === undefined) return [cpu];
    const [copy, upload] = [OURS, UPLOADED].map((side) => measured.of(side)?.transactions ?? null);
    return [
      { ...cpu, atMost: work.targets.cpu },
      {
        what: 'transactions from the submission on',
        value: copy == null || upload == null ? null : copy - upload,
        atMost: work.targets.transactions,
      },
    ];
  },
});

const BYTES_OF_SCANS = PAGES * 1_000_000;

export const rowsOfCopies: readonly Row[] = [
  copyRow({
    name: 'copy10',
    what: 'pages of print',
    newPdf: () => Promise.resolve(plainPdf(PAGES)),
    targets: { cpu: 400, transactions: 8 },
  }),
  copyRow({
    name: 'scan10',
    what: 'colour scans of 200 dpi',
    newPdf: () =>
      largeCopy(
        Array.from({ length: PAGES }, () => ({})),
        BYTES_OF_SCANS,
      ),
  }),
];
