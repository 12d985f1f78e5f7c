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
  withFrame: [listRoute, newRoute, examRoute, editRoute, uploadRoute, candidatesRoute, answersRoute],
} as const;

export const examsNavigation: readonly NavigationEntry[] = [
  { path: '/exams', label: 'exams.title', roles: ['admin', 'examiner'] },
];
