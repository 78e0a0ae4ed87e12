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
    days: [{ day: AT.slice(0, 10), requests: 610 }],
    backups: [{ id: 1, at: AT, bytes: 125_114_191, proven: true }],
    staging: [{ domain: 'staging.shop.example', url: 'https://staging.shop.example/' }],
    people: [{ name: 'Anna Weber', since: AT, is_you: true }],
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
