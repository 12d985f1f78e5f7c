import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/style.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { startLanguage } from './app/language.ts';

const page = document.getElementById('page');
if (page === null) throw new Error('index.html has no element with the id `page`');
await startLanguage();
createRoot(page).render(<App />);
