import { AT, LATER } from '#dashboard/kernel/http/example-values.ts'

const ClientSite = {
  id: 1,
  domain: 'shop.example',
  state: 'up',
  since: AT,
  requests: 18_400,
  last_backup_at: LATER,
  last_proof_at: AT,
}

export const CLIENT_EXAMPLES = {
  ClientSite,
  ClientSites: { sites: [ClientSite], more: false },
  ClientSiteDetail: {
    ...ClientSite,
    pages: 2300,
    days: [{ day: AT.slice(0, 10), requests: 610, pages: 75 }],
    updates: {
      version: '7.0.1',
      read_at: LATER,
      made: [{ kind: 'plugin', name: 'WooCommerce', from: '10.4.1', to: '10.4.2', at: AT }],
      pending: [{ kind: 'core', name: 'WordPress', from: '7.0.1', to: '7.0.2' }],
    },
    backups: [{ id: 1, at: AT, bytes: 125_114_191, proven: true }],
    staging: [
      { domain: 'staging.shop.example', url: 'https://staging.shop.example/', made_at: AT },
    ],
    people: [{ name: 'Anna Weber', since: AT, is_you: true, files: true }],
    file_accounts: [{ label: 'Print shop', expires_at: LATER }],
    request: { at: LATER, note: 'The prices are gone since this morning.', backup_at: AT },
    restore: { state: 'done', at: AT },
    may: { restore: true, login: false },
  },
  RequestRestore: { backup_id: 1, note: 'The prices are gone since this morning.' },
  RestoreAsClient: { backup_id: 1, dry_run: true },
  ClientRestorePlan: {
    plan: { backup_at: AT, bytes: 125_114_191, database: true, undo_days: 7 },
  },
  ClientRestoreStarted: { restore: { state: 'running', at: LATER } },
}
