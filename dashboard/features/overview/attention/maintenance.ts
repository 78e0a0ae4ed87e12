import type { listMaintenance } from '#dashboard/features/servers/maintenance/queries.ts'
import type { Attention, AttentionItem } from '#shared/overview/api/attention.ts'
import { counted, groupOf, lowerFirst, serverItem } from './item.ts'

type ServerMaintenance = Awaited<ReturnType<typeof listMaintenance>>[number]

/** The number of restarts in an hour that is many: one may be chance. */
const MANY_RESTARTS = 3
const MAX_NAMED = 3

export function maintenanceTroubles(rows: readonly ServerMaintenance[]): Attention[] {
  const online = rows.filter(({ status }) => status === 'online')
  return [
    ...groupOf('service_restarts', online.flatMap(restarts)),
    ...groupOf('old_files', online.flatMap(oldFiles)),
    ...groupOf('security_updates', online.flatMap(securityUpdates)),
    ...groupOf('reboot_needed', online.flatMap(reboot)),
  ]
}

function restarts(server: ServerMaintenance): AttentionItem[] {
  return server.restarts
    .filter(({ count }) => count >= MANY_RESTARTS)
    .map(({ name, count, last_at }) => {
      const ended = `${name} ended unexpectedly ${count} times within an hour and was started again`
      const reason = `${ended}: read its log on the server`
      return serverItem(server, { severity: 'warning', reason, at: last_at })
    })
}

function oldFiles(server: ServerMaintenance): AttentionItem[] {
  const { old_files, others, problem, since } = server
  const names = [...old_files, ...others]
  if (names.length === 0) return []
  const run = names.length === 1 ? 'runs' : 'run'
  const what = `${listed(names)} still ${run} files that an update has replaced`
  const advice = problem || 'they are restarted automatically'
  const rest = old_files.length === 0 ? 'restart them, or reboot the server' : advice
  const severity = old_files.length > 0 && problem !== '' ? 'warning' : 'info'
  return [serverItem(server, { severity, reason: `${what}: ${lowerFirst(rest)}`, at: since })]
}

function securityUpdates(server: ServerMaintenance): AttentionItem[] {
  const { security, unattended } = server
  if (security.length === 0) return []
  const what = `${counted(security.length, 'security update')} pending (${listed(security)})`
  const reason = unattended
    ? `${what}: the server installs them automatically within a day, or install them now`
    : `${what}: install them`
  return [serverItem(server, { severity: unattended ? 'info' : 'warning', reason })]
}

function reboot(server: ServerMaintenance): AttentionItem[] {
  if (server.reboot.length === 0) return []
  const reason = `An update takes effect with the next reboot (${listed(server.reboot)}): reboot the server`
  return [serverItem(server, { severity: 'warning', reason })]
}

/** Lists the first names, and the number of others. */
function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMED
  const shown = names.slice(0, MAX_NAMED).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}
