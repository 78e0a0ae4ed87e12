import {
  backup_repositories,
  backup_repository_servers,
} from '#dashboard/kernel/db/repositories-schema.ts'
import type { twoServers } from './copies.ts'

type All = Awaited<ReturnType<typeof twoServers>>

/** What the agents got for backups: the repository, whether it has a password, and whether that came. */
export const backupsOf = ({ given }: All['one']) =>
  given.flatMap((each) => {
    const params = each['backup.create']
    if (!params) return []
    const { repository, password_id, password = 'none' } = params
    return [{ repository, is_begun: password_id !== undefined, password }]
  })

export const siteAt = async (all: Pick<All, 'site' | 'shop'>) => {
  const { server_id, user } = await all.site(all.shop)
  return { at: `/api/servers/${server_id}/sites/${all.shop}/backups`, user: String(user) }
}

export const repositoriesOf = ({ dashboard: { db } }: Pick<All, 'dashboard'>) =>
  db.read.select().from(backup_repositories).orderBy(backup_repositories.name)

export const serversOf = async ({ dashboard: { db } }: Pick<All, 'dashboard'>) =>
  (await db.read.select().from(backup_repository_servers)).map(
    ({ name, server_id }) => [name, server_id] as const,
  )

/** How the first agent backs up. */
export function workOf({ one }: All) {
  const work = one.agent.works.get('backup.create')
  if (!work) throw new Error('no work')
  return work
}
