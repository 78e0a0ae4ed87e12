import type { Host } from '#agent/host/ports.ts'
import { readManifest, refuseLack } from '#agent/os/backup/fetch.ts'
import type { Manifest } from '#agent/os/backup/manifest.ts'
import { alignPassword } from '#agent/os/backup/replace.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { inOrder } from '#agent/os/effects/change.ts'
import { change, run } from '#agent/os/effects/effects.ts'
import * as moving from '#agent/os/moving/catch-up.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { refuseUnready } from '#agent/os/restic/run.ts'
import { closeFiles, forgetRepository, openedOf, openFiles } from '#agent/os/restic/session.ts'
import { docrootOf, HOMES } from '#agent/os/site/paths.ts'
import { findSite, type Site } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, notFound } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'

type Params = ParamsOf<'site.catch-up'>
type Learned = { manifest?: Manifest; tables?: string[] }

/** Changes a copy that serves nobody; it may be repeated, and then completes what was left. */
export const siteCatchUp: Command<'site.catch-up'> = {
  lock: ({ domain }) => apexOf(domain),
  async steps(params, host) {
    const site = await findCopy(host, params.domain)
    return site ? stepsOf(host, site, params) : []
  },
  async plan(params, host) {
    const site = await checked(host, params)
    return [...(await preparing(host)), ...stepsOf(host, site, params)]
  },
  async *run(params, { host, announce, perform }) {
    const site = await checked(host, params)
    const learned: Learned = {}
    const missing = await preparing(host)
    const steps = stepsOf(host, site, params, learned)
    announce([...missing, ...steps])
    yield* perform([...missing, ...steps])
    const { manifest, tables } = learned
    if (!manifest || !tables) throw new Error('The copy has no result')
    return { domain: site.domain, at: manifest.at, tables: tables.length }
  },
}

/** The copy of a site that arrives, or that has moved away. */
async function findCopy(host: Host, domain: string): Promise<Site | undefined> {
  const arriving = await findSite(host, domain)
  return arriving ?? (await findSite(host, domain, 'moved'))
}

async function checked(host: Host, { domain, from }: Params): Promise<Site> {
  if (from.kind !== 'backup') throw conflict('A copy catches up from a backup')
  await refuseUnready(host, from.target)
  const site = await findCopy(host, domain)
  if (!site) throw notFound(`Site ${domain}`)
  if (site.moving?.closed || site.moving?.parted) return site
  throw conflict(`${domain} is served by this server: it can only be restored`)
}

const preparing = async (host: Host): Promise<Step[]> => [
  ...(await resticSteps(host)),
  ...(await mariadbSteps(host)),
]

function stepsOf(host: Host, site: Site, { from }: Params, learned: Learned = {}): Step[] {
  if (from.kind !== 'backup') return []
  const { user } = site
  const steady = host.steady ?? host
  const { target, repository: name, password, backup } = from
  const repository = { name, target, password }
  const opened = openedOf(host, repository, user)
  const manifest = () => {
    if (!learned.manifest) throw new Error('The backup was not read')
    return learned.manifest
  }
  return [
    {
      name: 'target',
      title: 'Connecting to the target',
      ...openFiles(host, repository, user),
      undo: closeFiles(steady, user).apply,
    },
    {
      name: 'manifest',
      title: 'Reading the backup',
      effects: [run('program', 'restic')],
      async apply() {
        learned.manifest = await readManifest(host, opened, backup)
        await refuseLack(host, HOMES, 2 * (learned.manifest.database?.bytes ?? 0), 'the copy')
        await moving.markMixed(host, site)
      },
    },
    {
      name: 'database',
      title: 'Bringing the tables that have changed',
      effects: [change('database', user)],
      async *apply() {
        learned.tables = yield* moving.catchUpDatabase(host, site, opened, manifest())
      },
    },
    {
      name: 'files',
      title: 'Bringing the files that have changed',
      effects: [change('folder', docrootOf(user))],
      apply: () => moving.catchUpFiles(host, site, opened, manifest()),
      undo: () => moving.bringFiles(steady, user),
    },
    {
      name: 'password',
      title: 'Matching the password of the database',
      effects: [],
      async apply() {
        await alignPassword(host, site)
        await moving.unmarkMixed(host, site)
      },
    },
    {
      name: 'close',
      title: 'Disconnecting from the target',
      ...inOrder(
        closeFiles(host, user),
        forgetRepository(host, user),
        moving.forgetFetched(host, site),
      ),
    },
  ]
}
