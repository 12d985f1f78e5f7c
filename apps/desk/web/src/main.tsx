import { createRoot } from 'react-dom/client';

const page = document.getElementById('page');
if (page !== null) createRoot(page).render(<h1>Desk</h1>);
