import {
  type CompleteListing,
  listAllBackups,
} from '#dashboard/features/backups/found/list-all-backups.ts'
import { recordListing } from '#dashboard/features/backups/found/record.queries.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { hasNoBackups } from '#dashboard/kernel/agents/agent-errors.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { RefreshedBackups } from '#shared/backups/api/backup-list.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { repositoryParams, withPassword } from './params.ts'
import { listRepositories, listRepositoriesOfGone } from './refresh.queries.ts'

type Deps = Pick<RulesDeps, 'db' | 'sealer'> & Pick<CommonDeps, 'clock'> & { agents: Agents }

interface RefreshRequest {
  server: ServerRow
  domain: string
  /** The site; missing when it was deleted. */
  site?: Pick<SiteRow, 'id' | 'server_id' | 'domain'>
  actor: number
}
type RepositoryName = { target_id: number; name: string }

/**
 * Compares the records of a site with its repositories, which its server reads: marks missing
 * backups, and records unknown ones. Throws conflict for a site without a repository.
 */
export async function refreshBackups(
  deps: Deps,
  { server, site, actor }: SiteTarget,
): Promise<RefreshedBackups> {
  const repositories = await listRepositories(deps.db, site)
  if (repositories.length === 0) {
    throw conflict(`${site.domain} has no repository: back it up first`)
  }
  return refreshAll(deps, { server, site, domain: site.domain, actor }, repositories)
}

/** Compares the records of a deleted site; any server that reaches the storage reads it. */
export async function refreshGone(
  deps: Deps,
  { server, domain, actor }: Omit<RefreshRequest, 'site'>,
): Promise<RefreshedBackups> {
  const repositories = await listRepositoriesOfGone(deps.db, domain)
  if (repositories.length === 0) {
    throw conflict(`No backup of a deleted site ${domain} is recorded`)
  }
  return refreshAll(deps, { server, domain, actor }, repositories)
}

async function refreshAll(
  deps: Deps,
  refresh: RefreshRequest,
  repositories: readonly RepositoryName[],
): Promise<RefreshedBackups> {
  const all: RefreshedBackups = { gone: 0, found: 0 }
  for (const repository of repositories) {
    const { gone, found } = await refreshOne(deps, refresh, repository)
    all.gone += gone
    all.found += found
  }
  return all
}

async function refreshOne(
  { db, clock, sealer, agents }: Deps,
  { server, domain, site, actor }: RefreshRequest,
  { target_id, name: repository }: RepositoryName,
): Promise<RefreshedBackups> {
  const asked_at = timestamp(clock)
  const params = await repositoryParams({ db, sealer }, target_id, repository)
  const listed = await withPassword(
    { db, sealer },
    server.id,
    params,
    ({ target, password_id, password }) =>
      listAllBackups(agents, server, {
        target,
        repository,
        password_ids: [password_id],
        passwords: password === undefined ? [] : [password],
      }),
  ).catch((error: unknown) => {
    if (!hasNoBackups(error)) throw error
    return noneOf(domain)
  })
  const facts = { domain, server_id: server.id, user_id: actor }
  const entry = entryOf(clock, { type: 'backup.refresh', ...facts })
  const listing = { target_id, repository, listed, now: timestamp(clock), asked_at }
  return recordListing(db, { ...listing, ...(site && { site }) }, entry)
}

/** Returns the list of a repository whose backups somebody, such as the keeper, has deleted. */
const noneOf = (domain: string): CompleteListing => ({
  password: 0,
  domain,
  tables: 0,
  excluded: [],
  backups: [],
  is_whole: true,
})
