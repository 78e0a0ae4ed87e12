import { entryOf } from '#dashboard/activity/entry.ts'
import type { Agents } from '#dashboard/agents/agents.ts'
import type { Base } from '#dashboard/db/base.ts'
import type { RulesDeps } from '#dashboard/operations/rules.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { RefreshedBackups } from '#shared/api/backup-list.ts'
import { ListedBackups } from '#shared/backup-find.ts'
import { conflict } from '#shared/errors.ts'
import { askNew } from './found/ask.ts'
import { repositoryParams, unsealed } from './params.ts'
import { listRepositories, storeList } from './refresh.queries.ts'

interface Deps extends Pick<RulesDeps, 'db' | 'sealer'>, Pick<Base, 'clock'> {
  agents: Agents
}

/**
 * Compares the records of a site with its repositories, which its server reads: marks what is gone, and
 * records what was not on record. Throws conflict for a site without a repository.
 */
export async function refreshBackups(deps: Deps, target: SiteTarget): Promise<RefreshedBackups> {
  const repositories = await listRepositories(deps.db, target.site)
  if (repositories.length === 0) {
    throw conflict(`No repository of ${target.site.domain} is on record: back it up first`)
  }
  const all: RefreshedBackups = { gone: 0, found: 0 }
  for (const { target_id, name } of repositories) {
    const { gone, found } = await refreshOne(deps, target, { target_id, name })
    all.gone += gone
    all.found += found
  }
  return all
}

async function refreshOne(
  { db, clock, sealer, agents }: Deps,
  { server, site, actor }: SiteTarget,
  { target_id, name }: { target_id: number; name: string },
): Promise<RefreshedBackups> {
  const asked_at = timestamp(clock)
  const params = await repositoryParams({ db, sealer }, target_id, name)
  const { target, password } = unsealed(params, sealer)
  const body = { target, repository: name, passwords: [password] }
  const listed = await askNew(agents, server, '/backups/list', body, ListedBackups)
  const present = listed.backups.map(({ id }) => id)
  const list = { target_id, repository: name, present, now: timestamp(clock), asked_at }
  const facts = { domain: site.domain, server_id: server.id, user_id: actor }
  const entry = entryOf(clock, { type: 'backup.refresh', ...facts })
  return storeList(db, { list, listed, site }, entry)
}
