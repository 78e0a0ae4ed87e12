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
  'a staging site': { path: '/sites/1?tab=staging', open: button(/^Create .*staging site/) },
  'a clone': { path: '/sites/1', open: menuAction('Clone site') },
  'the domains of a site': { path: '/sites/1?tab=domains', open: button('Edit domains') },
  'another primary domain': {
    path: '/sites/1?tab=domains',
    open: button('Change primary domain'),
  },
  'a cron job': { path: '/sites/1?tab=jobs', open: button('Add job') },
  'a temporary database user': {
    path: '/sites/1?tab=database',
    open: button('Create temporary user'),
  },
  'an import': { path: '/sites/1?tab=database', open: button('Import database') },
  'maintenance of tables': { path: '/sites/1?tab=database', open: button('Maintain tables') },
  'a move': { path: '/sites/1', open: menuAction('Move to another server') },
  'an object cache': { path: '/sites/1?tab=php', open: button('Switch object cache on') },
  'a debug log': { path: '/sites/1?tab=logs', open: button('Switch debug log on') },
  'another tier': { path: '/sites/1?tab=php', open: button('Change tier') },
  'PHP settings': { path: '/sites/1?tab=php', open: button('Change PHP settings') },
  'a maintenance page': { path: '/sites/1?tab=domains', open: button('Turn maintenance page on') },
  'a CDN': { path: '/sites/1?tab=domains', open: button('Change CDN') },
  'a password for visitors': { path: '/sites/1?tab=domains', open: button('Require password') },
  'SFTP access': { path: '/sites/1?tab=access', open: button('Change SFTP access') },
  'a client account': {
    path: '/sites/1?tab=access',
    open: button('Create client account'),
  },
  'an invitation': { path: '/people', open: button('Invite person') },
  'a person': { path: '/people', open: button('Add person') },
  'a service account': { path: '/people', open: button('Add service account') },
  'a new password': { path: '/sites/1?tab=access', open: button('Reset admin password') },
  filters: { path: '/sites?php=8.2', open: button(/^Filter$/) },
  'saved views': { path: '/sites?php=8.2', open: button('Views') },
  'a recovery kit': { path: '/backups', open: button('Create recovery kit') },
  'a backup target': { path: '/backups?part=targets', open: button('Add target') },
  'a purge': { path: '/trash', open: button(/^Delete .* permanently/) },
  'recipients of reports': { path: '/settings', open: button('Change recipients') },
  'an identity provider': { path: '/settings', open: button('Add identity provider') },
  'two-factor authentication': {
    path: '/account',
    open: button('Set up two-factor authentication'),
  },
  'a token': { path: '/account', open: button('Create token') },
  'a DNS account': { path: '/settings', open: button('Add DNS account') },
  'a new key': { path: '/settings', open: button('Rotate key') },
}
