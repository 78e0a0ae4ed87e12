import type { OperationRow, ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { keptOf } from '#dashboard/mail/params.ts'
import type { KeptMail } from '#dashboard/mail/queries.ts'
import { MOST_WARNINGS, Warning } from '#shared/agent.ts'
import { COMMANDS, type ResultOf } from '#shared/commands.ts'
import { CANCELLED, ERRORS, type ErrorBody } from '#shared/errors.ts'
import { Inventory } from '#shared/inventory.ts'
import type { IsolationResult } from '#shared/isolation.ts'

/**
 * What an outcome changes in the records. `restore_site` is the reason of a deletion that failed.
 * `manage_site`: a site that was only found is this dashboard's from now on, if no other has its name.
 * `isolation` is what a check found, or why it could not run.
 */
export interface Effect {
  site?: Partial<SiteRow>
  manage_site?: true
  remove_site?: true
  restore_site?: string
  server?: Partial<ServerRow>
  /** What a server, or one of its sites, has been told about mail. */
  mail?: KeptMail
  isolation?: { results: IsolationResult[] } | { reason: string }
}

/** The data of the `complete` event as the dashboard tells it, and what it changes. */
export interface Success {
  data: Record<string, unknown>
  effect: Effect
  /** What is not there although it was asked for: on the record of the operation alone. */
  warnings?: Warning[]
}

/** `now`, and when a site that is deleted now is purged by itself. */
export interface Times {
  now: string
  purge_at: string
}

/** Reads the result that an agent sent; throws a ZodError when it is not what the contract says. */
export function successOf(operation: OperationRow, result: unknown, times: Times): Success {
  if (operation.type === 'server.sync') throw new Error('A sync has no result of an agent')
  const warnings = warningsIn(result)
  if (operation.type === 'site.scan')
    return { ...scanned(Inventory.parse(result), times.now), warnings }
  const read = COMMANDS[operation.type].result.parse(result)
  return { data: { status: 'ok', ...read }, effect: changesOf(operation, read, times), warnings }
}

/** Of an agent that knows none there are none; those that cannot be read are left out. */
function warningsIn(result: unknown): Warning[] {
  const found: unknown = Object(result).warnings
  if (!Array.isArray(found)) return []
  return found.slice(0, MOST_WARNINGS).flatMap((one) => Warning.safeParse(one).data ?? [])
}

/** A site tells of what was cancelled, not of an operation. */
const NAMES: Partial<Record<OperationRow['type'], string>> = {
  'site.create': 'Its creation',
  'site.delete': 'Its deletion',
  'site.restore': 'Its return from the trash',
  'site.purge': 'Its removal for good',
}

/** What a site goes back from to the state before. */
const FROM_STATE: readonly OperationRow['type'][] = ['site.delete', 'site.restore', 'site.purge']

/** The site of a failed creation stays and says why; that of a failed deletion is what it was. */
export function failureEffect({ type }: OperationRow, error: ErrorBody): Effect {
  const reason = reasonOf(error).replace(CANCELLED, `${NAMES[type] ?? 'It'} was cancelled`)
  if (type === 'site.create')
    return { site: { status: isCancelled(error) ? 'cancelled' : 'failed', status_reason: reason } }
  if (FROM_STATE.includes(type)) return { restore_site: reason }
  if (type === 'isolation.check' && !isCancelled(error)) return { isolation: { reason } }
  return {}
}

/** Whether this is the end of an operation that was cancelled, with or without something left over. */
export function isCancelled({ error, message = '' }: ErrorBody): boolean {
  return error === ERRORS.conflict.error && message.startsWith(CANCELLED)
}

/** One readable line. */
export function reasonOf({ error, message, fields }: ErrorBody): string {
  if (message) return message
  const rules = Object.entries(fields ?? {}).map(([field, texts]) => `${field}: ${texts[0]}`)
  return rules.length > 0 ? `${error} (${rules.join('; ')})` : error
}

function scanned(inventory: Inventory, now: string): Success {
  const { wp_version, plugins, updates } = inventory
  return {
    data: { wp_version, plugins: plugins.length },
    effect: {
      site: {
        wp_version,
        inventory,
        last_scan: now,
        updates_plugins: updates.plugins,
        updates_themes: updates.themes,
        updates_core: updates.core,
      },
    },
  }
}

/** Of a site that is not in the trash. */
const NOT_TRASHED = { former_status: null, trashed_at: null, purge_at: null, trash_size: null }

function changesOf({ type, params }: OperationRow, result: object, times: Times): Effect {
  switch (type) {
    case 'agent.upgrade': {
      const { version } = COMMANDS['agent.upgrade'].result.parse(result)
      return { server: { version } }
    }
    case 'isolation.check': {
      const { results } = COMMANDS['isolation.check'].result.parse(result)
      return { isolation: { results } }
    }
    case 'mail.apply':
      return { mail: keptOf(params) }
    case 'site.create':
      return { site: { status: 'active', status_reason: '' } }
    case 'site.delete':
      return { site: trashedSite(COMMANDS['site.delete'].result.parse(result).size, times) }
    case 'site.restore':
      return { site: { status: 'active', status_reason: '', ...NOT_TRASHED }, manage_site: true }
    case 'site.purge':
      return { remove_site: true }
    case 'site.update': {
      return { site: changedSite(COMMANDS['site.update'].result.parse(result)) }
    }
    case 'pool.apply':
      return { site: { tier: COMMANDS['pool.apply'].params.parse(params).tier } }
    case 'tls.issue': {
      const { tls, expires_at } = COMMANDS['tls.issue'].result.parse(result)
      return { site: { tls, certificate_expires_at: expires_at } }
    }
    case 'server.provision': {
      const { php_versions } = COMMANDS['server.provision'].result.parse(result)
      return { server: { php_versions } }
    }
    default:
      return {}
  }
}

/** What the agent reports: one of a version before leaves out settings that it does not have. */
function changedSite({ domain: _, ...settings }: ResultOf<'site.update'>): Partial<SiteRow> {
  const known = Object.entries(settings).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known)
}

function trashedSite(size: number | undefined, { now, purge_at }: Times): Partial<SiteRow> {
  return {
    status: 'trashed',
    status_reason: '',
    former_status: null,
    trashed_at: now,
    purge_at,
    trash_size: size ?? null,
  }
}
