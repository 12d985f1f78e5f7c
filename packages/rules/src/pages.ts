/** Pages of a copy that a vision model reads (docs/api/submissions.md#handwritten-copies). */
export const MAX_VISION_PAGES = 40;
export const MAX_PAGES = 80;
export const PAGES_BEYOND_VISION_LIMIT = 'pages_beyond_vision_limit';
