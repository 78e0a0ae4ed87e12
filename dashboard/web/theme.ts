// Runs before the first paint; the choice itself is made in app/theme-choice.ts.
const choice = localStorage.getItem('theme')
const dark =
  choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.theme = dark ? 'dark' : 'light'
