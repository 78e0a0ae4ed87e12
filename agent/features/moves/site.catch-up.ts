import { refuseLack } from '#agent/features/backups/fetch.ts'
import { syncDatabasePassword } from '#agent/features/backups/replace.ts'
import { cacheKeyHint } from '#agent/features/backups/restic/prepare.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { type OpenRepository, refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openFiles,
  openRepositoryOf,
  withSourcePassword,
} from '#agent/features/backups/restic/session.ts'
import {
  findFormer,
  followSettings,
  forgetFormerStep,
} from '#agent/features/sites/follow-settings.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { inOrder } from '#agent/kernel/effects/change.ts'
import { change, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { docrootOf, HOMES } from '#agent/kernel/site/paths.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Progress, ready } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { MAX_TABLES } from '#shared/sites/gathered.ts'
import * as moving from './catch-up.ts'
import { concurrently } from './concurrently.ts'
import { findLoaded } from './copy-state.ts'

type CatchUpParams = ParamsOf<'site.catch-up'>

/** Updates a copy that serves nobody. A repetition completes an interrupted one. */
export const siteCatchUp = command('site.catch-up', {
  lock: onSite.lock,
  withSecrets: withSourcePassword,
  check: async (params, host) => ({ site: await checked(host, params) }),
  async find({ domain }, host) {
    const site = (await findFormer(host, domain)) ?? (await findCopy(host, domain))
    return site && { site }
  },
  steps({ params, host, site }) {
    const { user } = site
    const steady = host.steady ?? host
    const { target, repository: name, password, backup } = params.from
    const repository = { name, target, password }
    const opened = openRepositoryOf(host, repository, user)
    const follows = backup !== undefined && site.moving?.parted
    return [
      ready(() => resticSteps(host)),
      ready(() => mariadbSteps(host)),
      {
        name: 'target',
        title: 'Connecting to the target',
        ...openFiles(host, repository, user),
        undo: closeFiles(steady, user).apply,
      },
      ...(follows ? [followSettings(host, site, opened, backup)] : []),
      {
        name: 'content',
        title: 'Copying the changes',
        effects: [
          run('program', 'restic'),
          change('database', user),
          change('folder', docrootOf(user)),
        ],
        apply: () => copyChanges(host, site, opened, params.gathered),
        undo: () => moving.placeFetchedFiles(steady, user),
      },
      {
        name: 'close',
        title: 'Disconnecting from the target',
        ...inOrder(closeFiles(host, user), moving.fetchedRemoved(host, site)),
      },
      ...(follows ? [forgetFormerStep(host, site)] : []),
    ]
  },
  async result({ params: { domain, gathered }, host, site }) {
    const loaded = await findLoaded(host, site.user)
    if (!loaded) throw new Error('The copy has no result')
    const few = loaded.tables.length <= MAX_TABLES && { has: loaded.tables }
    return { domain, at: gathered.at, tables: loaded.changed, ...few }
  },
})

async function* copyChanges(
  host: Host,
  site: Site,
  opened: OpenRepository,
  gathered: CatchUpParams['gathered'],
): Progress<void> {
  await refuseLack(host, HOMES, 2 * (gathered.database?.bytes ?? 0), 'the copy')
  // Not during the freeze, in which files and database are copied at once.
  if (!gathered.tables) await cacheKeyHint(host, opened)
  await moving.markPartlyUpdated(host, site)
  await moving.prepareFolder(host, site)
  const tables = moving.catchUpDatabase(host, site, opened, gathered)
  yield* concurrently(moving.catchUpFiles(host, site, opened, gathered), tables)
  yield `${await tables} tables have changed`
  await syncDatabasePassword(host, site)
  await moving.unmarkPartlyUpdated(host, site)
}

/** Finds the copy of a site that arrives, or that has moved away. */
async function findCopy(host: Host, domain: string): Promise<Site | undefined> {
  const arriving = await findSite(host, domain)
  return arriving ?? (await findSite(host, domain, 'moved'))
}

async function checked(host: Host, { domain, from }: CatchUpParams): Promise<Site> {
  await refuseUnready(host, from.target)
  const site = await findCopy(host, domain)
  if (!site) throw notFound(`Site ${domain}`)
  if (site.moving?.closed || site.moving?.parted) return site
  throw conflict(`${domain} is served by this server: it can only be restored`)
}
