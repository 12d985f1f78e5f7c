import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../app/layouts.tsx';
import type { NavigationEntry } from '../app/navigation.ts';
import { ExamPage } from './exam/ExamPage.tsx';
import { ExamsPage } from './list/ExamsPage.tsx';

// Forms, imports and uploads are loaded when they are opened.
const parent = () => signedInRoute;

const listRoute = createRoute({ getParentRoute: parent, path: '/exams', component: ExamsPage });
const newRoute = createRoute({
  getParentRoute: parent,
  path: '/exams/new',
  component: lazyRouteComponent(() => import('./form/NewExamPage.tsx'), 'NewExamPage'),
});
const examRoute = createRoute({ getParentRoute: parent, path: '/exams/$id', component: ExamPage });
const editRoute = createRoute({
  getParentRoute: parent,
  path: '/exams/$id/edit',
  component: lazyRouteComponent(() => import('./form/EditExamPage.tsx'), 'EditExamPage'),
});
const uploadRoute = createRoute({
  getParentRoute: parent,
  path: '/exams/$id/upload',
  component: lazyRouteComponent(() => import('./copies/UploadPage.tsx'), 'UploadPage'),
});
const stackRoute = createRoute({
  getParentRoute: parent,
  path: '/exams/$id/stack',
  component: lazyRouteComponent(() => import('./stack/StackPage.tsx'), 'StackPage'),
});
const coversRoute = createRoute({
  getParentRoute: parent,
  path: '/exams/$id/covers',
  component: lazyRouteComponent(() => import('./stack/CoversPage.tsx'), 'CoversPage'),
});
const candidatesRoute = createRoute({
  getParentRoute: parent,
  path: '/exams/$id/candidates',
  component: lazyRouteComponent(() => import('./candidates/CandidatesPage.tsx'), 'CandidatesPage'),
});
const answersRoute = createRoute({
  getParentRoute: parent,
  path: '/exams/$id/answers',
  component: lazyRouteComponent(() => import('./answers/AnswersPage.tsx'), 'AnswersPage'),
});

export const examsRoutes = {
  withFrame: [
    listRoute,
    newRoute,
    examRoute,
    editRoute,
    uploadRoute,
    stackRoute,
    coversRoute,
    candidatesRoute,
    answersRoute,
  ],
} as const;

export const examsNavigation: readonly NavigationEntry[] = [
  { path: '/exams', label: 'exams.title', roles: ['admin', 'examiner'] },
];
