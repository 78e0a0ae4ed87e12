import type { OperationRow, ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import { COMMANDS } from '#shared/commands.ts'
import { CANCELLED, ERRORS, type ErrorBody } from '#shared/errors.ts'
import { Inventory } from '#shared/inventory.ts'

/** What an outcome changes in the records. `restore_site` is the reason of a deletion that failed. */
export interface Effect {
  site?: Partial<SiteRow>
  remove_site?: true
  restore_site?: string
  server?: Partial<ServerRow>
}

/** The data of the `complete` event as the dashboard tells it, and what it changes. */
export interface Success {
  data: Record<string, unknown>
  effect: Effect
}

/** `now`, and when a site that is deleted now is purged by itself. */
export interface Times {
  now: string
  purge_at: string
}

/** Reads the result that an agent sent; throws a ZodError when it is not what the contract says. */
export function successOf(operation: OperationRow, result: unknown, times: Times): Success {
  if (operation.type === 'server.sync') throw new Error('A sync has no result of an agent')
  if (operation.type === 'site.scan') return scanned(Inventory.parse(result), times.now)
  const read = COMMANDS[operation.type].result.parse(result)
  return { data: { status: 'ok', ...read }, effect: changesOf(operation, read, times) }
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
  if (type === 'site.create') return { site: { status: 'failed', status_reason: reason } }
  if (FROM_STATE.includes(type)) return { restore_site: reason }
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
    case 'site.create':
      return { site: { status: 'active', status_reason: '' } }
    case 'site.delete':
      return { site: trashedSite(COMMANDS['site.delete'].result.parse(result).size, times) }
    case 'site.restore':
      return { site: { status: 'active', status_reason: '', ...NOT_TRASHED } }
    case 'site.purge':
      return { remove_site: true }
    case 'site.update': {
      const { php, tier } = COMMANDS['site.update'].result.parse(result)
      return { site: { php, tier } }
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
