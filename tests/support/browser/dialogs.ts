import type { Page } from 'playwright-core'

/** Dialogs and menus of the demo: where they are, and how a user opens them. */
interface Window {
  path: string
  open(page: Page): Promise<void>
}

const button = (name: string | RegExp) => async (page: Page) =>
  page.getByRole('button', { name }).first().click()

const menuAction = (name: string) => async (page: Page) => {
  await button(/^More actions of/)(page)
  await page.getByRole('menuitem', { name }).click()
}

export const DIALOGS: Record<string, Window> = {
  palette: { path: '/', open: (page) => page.keyboard.press('Control+k') },
  'list of keys': { path: '/', open: (page) => page.keyboard.type('?') },
  'removal of a server': { path: '/servers/1', open: menuAction('Remove') },
  'editing of a server': { path: '/servers/1', open: menuAction('Edit') },
  'updates of a server': { path: '/servers/1', open: button('Install updates') },
  'deletion of a site': { path: '/sites/1', open: menuAction('Delete site') },
  'another tier': { path: '/sites/1?tab=php', open: button('Change tier') },
  'a new password': { path: '/sites/1?tab=access', open: button('Reset admin password') },
  filters: { path: '/sites?php=8.2', open: button(/^Filter$/) },
  'saved views': { path: '/sites?php=8.2', open: button('Views') },
  'a recovery kit': { path: '/backups', open: button('Create recovery kit') },
  'a backup target': { path: '/backups', open: button('Add target') },
  'a purge': { path: '/trash', open: button(/^Delete .* permanently/) },
  'a token': { path: '/account', open: button('Create token') },
  'a new key': { path: '/settings', open: button('Rotate key') },
}
