import type { ListedServer } from '#dashboard/features/overview/queries.ts'
import { IMPORT_LIMITS_TEXT } from '#dashboard/kernel/agents/budgets.ts'
import { hasOurProtocol } from '#dashboard/kernel/agents/protocol.ts'
import type { Attention, AttentionItem } from '#shared/overview/api/attention.ts'
import packed from '../../../../package.json' with { type: 'json' }
import { counted, groupOf, serverItem } from './item.ts'

const FULL_SHARE = 0.9
const ALMOST_FULL_SHARE = 0.95

/** Returns the items from the last contact with each server. */
export function serverTroubles(rows: readonly ListedServer[]): Attention[] {
  return [
    ...groupOf('server_offline', rows.flatMap(offline)),
    ...groupOf('disk_full', rows.flatMap(fullDisk)),
    ...groupOf('service_failed', rows.flatMap(failedServices)),
    ...notRecorded(rows),
    ...groupOf('agent_outdated', rows.flatMap(outdatedAgent)),
  ]
}

function offline(server: ListedServer): AttentionItem[] {
  if (server.lost_at !== null) return lost(server, server.lost_at)
  if (server.status !== 'offline') return []
  const reason = `${server.status_reason}: check that the server is up, and run systemctl status hosting-agent on it; if it does not come back, restore its sites on other servers`
  return [serverItem(server, { severity: 'critical', reason, at: server.last_sync })]
}

function lost(server: ListedServer, at: string): AttentionItem[] {
  if (server.status !== 'online') {
    const reason = 'It was declared lost: remove it when its records are not needed any more'
    return [serverItem(server, { severity: 'info', reason, at })]
  }
  const reason =
    'It was declared lost and answers again, with copies of restored sites that are suspended there: turn it off, or delete these copies and use it again'
  return [serverItem(server, { severity: 'critical', reason, at })]
}

function fullDisk(server: ListedServer): AttentionItem[] {
  const { used = 0, total = 0 } = server.metrics?.disk ?? {}
  if (total === 0 || used / total < FULL_SHARE) return []
  const percent = Math.floor((100 * used) / total)
  const reason = `The disk is ${percent} % full: empty the trash, remove what is not needed, or enlarge it`
  const severity = used / total < ALMOST_FULL_SHARE ? 'warning' : 'critical'
  return [serverItem(server, { severity, reason, at: server.metrics_at })]
}

/** The beginning of the name of PHP of a site, which is reported with the site, by its domain. */
const OF_SITE = 'php-fpm:'

function failedServices(server: ListedServer): AttentionItem[] {
  return server.services
    .filter(({ name, status }) => status === 'failed' && !name.startsWith(OF_SITE))
    .map(({ name }) => {
      const reason = `${name} has failed: restart it, and read its log on the server if it fails again`
      return serverItem(server, { severity: 'critical', subject: name, reason })
    })
}

/** Returns the servers with more new sites on a day than were recorded. */
function notRecorded(rows: readonly ListedServer[]): Attention[] {
  const over = rows.filter(({ imports_refused }) => imports_refused > 0)
  const total = over.reduce((sum, { imports_refused }) => sum + imports_refused, 0)
  const items = over.map((server) => {
    const { imports_refused: count, last_sync: at } = server
    const what = `${counted(count, 'site')} that its agent reports ${count === 1 ? 'is' : 'are'} not recorded`
    const advice = `if they are not there, treat the server as compromised and remove it here`
    const reason = `${what}, since a server may add ${IMPORT_LIMITS_TEXT}: look for them on the server, and ${advice}`
    return serverItem(server, { severity: 'warning', reason, at, count })
  })
  return groupOf('sites_not_recorded', items, total)
}

function outdatedAgent(server: ListedServer): AttentionItem[] {
  const { version, status, metrics } = server
  if (status !== 'online') return []
  if (metrics && !hasOurProtocol({ metrics })) {
    const reason = `Its agent ${version} has another protocol than the dashboard, which can only read its metrics and sites and send it commands: upgrade the agent`
    return [serverItem(server, { severity: 'warning', reason })]
  }
  if (!isOlder(version, packed.version)) return []
  const reason = `Its agent is ${version}, the dashboard has ${packed.version}: upgrade the agent`
  return [serverItem(server, { severity: 'info', reason })]
}

/** Whether a version is older; false for an unknown one. */
function isOlder(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  if (!left || !right) return false
  const at = left.findIndex((number, index) => number !== right[index])
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0)
}

function numbersOf(version: string): number[] | undefined {
  return /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number)
}
