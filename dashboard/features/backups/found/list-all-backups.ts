import type { z } from 'zod'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { ListedBackups } from '#shared/backups/backup-find.ts'
import { backupsReading } from '#shared/backups/readings.ts'

/** The maximum of pages: no server makes the dashboard ask for ever. */
const MAX_PAGES = 25

/** `passwords`: those of `password_ids`, in order; missing or empty: the server has one of them. */
type ListRequest = Omit<z.input<typeof backupsReading.params>, 'before'>

export type CompleteListing = Omit<ListedBackups, 'next'> & {
  /** Whether the list is complete; otherwise there are earlier backups. */
  is_whole: boolean
}

export async function listAllBackups(
  agents: Agents,
  server: AgentAddress,
  request: ListRequest,
): Promise<CompleteListing> {
  const first = await agents.call(server, backupsReading, request)
  const only = (all: string[] = []) => all.slice(first.password, first.password + 1)
  const opening = { password_ids: only(request.password_ids), passwords: only(request.passwords) }
  const found = new Map(first.backups.map((backup) => [backup.id, backup]))
  let last = first
  for (let page = 1; last.next && page < MAX_PAGES; page++) {
    last = await agents.call(server, backupsReading, {
      ...request,
      ...opening,
      before: last.next,
    })
    for (const backup of last.backups) found.set(backup.id, backup)
  }
  const { next: _, ...listed } = first
  return { ...listed, backups: [...found.values()], is_whole: last.next === null }
}
