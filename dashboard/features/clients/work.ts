import type { Alerts } from '#dashboard/features/alerts/alerts.ts'
import type { Mailer } from '#dashboard/features/alerts/mailer.ts'
import { listAddresses } from '#dashboard/features/alerts/queries.ts'
import { findBackup } from '#dashboard/features/backups/queries.ts'
import { insertRestoreRequest } from '#dashboard/features/backups/restore-requests.queries.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import { startLogin } from '#dashboard/features/wordpress/start-login.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { type StartDeps, startOrPlan } from '#dashboard/kernel/engine/start-operation.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { RequestRestore, RestoreAsClient } from '#shared/clients/api/clients.ts'
import { conflict, invalid, ServiceError } from '#shared/kernel/errors.ts'
import type { StartedLogin } from '#shared/wordpress/api/wp-login.ts'
import { wordpressUsersReading } from '#shared/wordpress/readings.ts'

export interface ClientDeps extends StartDeps, MarkedRecords {
  mailer: Mailer | undefined
  alerts: Alerts
  public_url: string | undefined
  log: Log
}

/** The days for which the state before a restore is kept. */
const UNDO_DAYS = 7

/**
 * Asks the agency to restore a backup of a site. Throws 422 for a backup of another site, and 409
 * while there is an open request. Returns whether the mail server accepted the message about it.
 */
export async function requestRestore(
  deps: ClientDeps,
  caller: Caller,
  { site }: SiteTarget,
  { backup_id, note }: RequestRestore,
): Promise<boolean> {
  const { db, clock } = deps
  const backup = backup_id === null ? undefined : await getBackup(db, site.id, backup_id)
  const at = timestamp(clock)
  const values = { site_id: site.id, backup_id, user_id: caller.user.id, note, requested_at: at }
  const entry = entryOf(clock, {
    type: 'restore.request',
    user_id: caller.user.id,
    server_id: site.server_id,
    domain: site.domain,
    detail: backup ? `backup of ${backup.at}` : null,
  })
  if (!(await insertRestoreRequest(db, values, entry)))
    throw conflict('A request is open already: your agency will answer it')
  return mailRequest(deps, caller, { ...site, note, backup_at: backup?.at })
}

interface RequestMail {
  id: number
  domain: string
  note: string
  backup_at: string | undefined
}

async function mailRequest(
  { db, marks, mailer, alerts, random, public_url }: ClientDeps,
  { user }: Caller,
  { id, domain, note, backup_at }: RequestMail,
): Promise<boolean> {
  if (!mailer || !(await getSettings(db)).email_notifications) return false
  const what = backup_at === undefined ? 'a backup' : `the backup of ${backup_at.slice(0, 10)}`
  const quoted = note === '' ? [] : [note.replace(/^/gm, '> ')]
  const link =
    public_url === undefined ? [] : [new URL(`/sites/${id}?tab=backups`, public_url).href]
  const asked = `${user.name} (${user.email}) asks to restore ${what} of ${domain}.`
  const todo = 'Restore it in the tab Backups of the site, or dismiss the request there.'
  const { accepted } = await alerts.send(mailer, {
    to: await listAddresses(db, marks),
    subject: `Restore requested: ${domain}`,
    text: `${[asked, ...quoted, todo, ...link].join('\n\n')}\n`,
    id: randomText(random, 16),
  })
  return accepted
}

async function getBackup(db: Database, site_id: number, backup_id: number) {
  const backup = await findBackup(db, site_id, backup_id)
  if (backup && backup.gone_at === null) return backup
  throw invalid({ backup_id: ['Is not a backup of this site'] })
}

/**
 * Restores a backup of a site, with its database if it has one, or returns what that would replace.
 * Everything that refuses the restore refuses the plan, too.
 */
export async function restoreAsClient(
  deps: ClientDeps,
  target: SiteTarget,
  { backup_id, dry_run }: RestoreAsClient,
) {
  const backup = await getBackup(deps.db, target.site.id, backup_id)
  const parts = { files: true, database: backup.tables > 0 }
  const call = { backup_id, parts, dry_run }
  await plainly(deps, async () => {
    const started = await startOrPlan(deps, 'backup.restore', target, call)
    if ('accepted' in started) await started.accepted
  })
  if (!dry_run) return { restore: { state: 'running' as const, at: timestamp(deps.clock) } }
  const { at: backup_at, bytes } = backup
  return { plan: { backup_at, bytes, database: parts.database, undo_days: UNDO_DAYS } }
}

const NO_USER =
  'The WordPress of this site has no user with your e-mail address: ask your agency to add one'

/**
 * Logs in as the WordPress user with the address of the caller, and as nobody else. An agent that
 * does not know the address returns users without one, of whom none is taken.
 */
export async function logInAsClient(
  deps: ClientDeps,
  { user }: Caller,
  target: SiteTarget,
): Promise<StartedLogin> {
  const { domain } = target.site
  const email = user.email.toLowerCase()
  const { users } = await plainly(deps, () =>
    deps.agents.call(target.server, wordpressUsersReading, { domain, email: user.email }),
  )
  const [own, other] = users.filter((one) => one.email?.toLowerCase() === email)
  if (!own || other) throw conflict(NO_USER)
  return plainly(deps, () => startLogin(deps, target, own.id))
}

const NOT_NOW = 'This is not possible at the moment: try again later, or ask your agency'

/** Does work for a client: why it is refused names servers and programs, and goes to the log. */
async function plainly<T>({ log }: Pick<ClientDeps, 'log'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'internal') throw error
    log.info('work for a client was refused', { reason: error.message })
    throw conflict(NOT_NOW)
  }
}
