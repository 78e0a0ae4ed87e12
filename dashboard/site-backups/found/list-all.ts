import type { Agents } from '#dashboard/agents/agents.ts'
import type { Address } from '#dashboard/agents/transport.ts'
import { ListedBackups } from '#shared/backup-find.ts'
import { askStorage } from './ask.ts'

/** No server makes the dashboard ask for ever. */
const MOST_PAGES = 25

interface ListRequest {
  /** With its secret. */
  target: unknown
  repository: string
  password_ids: readonly unknown[]
  /** Of these ids, in order; missing or empty: the server has one of them. */
  passwords?: readonly unknown[]
}

export type ListedAll = Omit<ListedBackups, 'next'> & {
  /** False: there are earlier backups, about which the list says nothing. */
  is_whole: boolean
}

/** All backups in a repository, newest first, as a server lists them: page after page. */
export async function listAll(
  agents: Agents,
  server: Address,
  request: ListRequest,
): Promise<ListedAll> {
  const ask = (body: ListRequest & { before?: string }) =>
    askStorage(agents, server, '/backups/list', body, ListedBackups)
  const first = await ask(request)
  const only = (all: readonly unknown[] = []) => all.slice(first.password, first.password + 1)
  const opening = { password_ids: only(request.password_ids), passwords: only(request.passwords) }
  const found = new Map(first.backups.map((backup) => [backup.id, backup]))
  let last = first
  for (let page = 1; last.next && page < MOST_PAGES; page++) {
    last = await ask({ ...request, ...opening, before: last.next })
    for (const backup of last.backups) found.set(backup.id, backup)
  }
  const { next: _, ...listed } = first
  return { ...listed, backups: [...found.values()], is_whole: last.next === null }
}
