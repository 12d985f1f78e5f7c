export { bundleLibrary } from './library.ts';
export { bundle } from './bundle.ts';
export { imageNames, type ImageName } from './images.ts';
