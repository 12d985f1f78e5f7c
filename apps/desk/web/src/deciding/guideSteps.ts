import { client } from '../app/calls.ts';
import type { GuideStep } from './answers.ts';

/** Core works some seconds in each call; these functions repeat the call until the step has ended. */

type Progress = (step: GuideStep) => void;

export const previewGuide = async (examId: string, onProgress: Progress): Promise<GuideStep> => {
  let step = await client.guide.preview.mutate({ exam_id: examId });
  while (step.step === 'previewing') {
    onProgress(step);
    step = await client.guide.preview.mutate({ exam_id: examId, number: step.number });
  }
  return step;
};

export const applyGuide = async (
  examId: string,
  number: number,
  onProgress: Progress,
): Promise<GuideStep> => {
  for (;;) {
    const step = await client.guide.applyPreview.mutate({ exam_id: examId, number });
    if (step.step !== 'applying') return step;
    onProgress(step);
  }
};

export const undoGuide = async (examId: string, number: number, onProgress: Progress): Promise<GuideStep> => {
  for (;;) {
    const step = await client.guide.undo.mutate({ exam_id: examId, number });
    if (step.step !== 'undoing') return step;
    onProgress(step);
  }
};
