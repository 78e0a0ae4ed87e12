import type { Host } from '#agent/host/ports.ts'
import { type Found, handle, type OwnFile, planHandle } from '#agent/os/as-site/own-file.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { conflict } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import { DROP_IN_TEXT } from './server-php.ts'

type Owner = Pick<Site, 'user' | 'php'>

const pathOf = (user: string) => `${docrootOf(user)}/wp-content/object-cache.php`
const fileOf = ({ user }: Owner): OwnFile => ({ path: pathOf(user), text: DROP_IN_TEXT })

export const findDropIn = (host: Host, site: Owner): Promise<Found> =>
  handle(host, site, 'look', fileOf(site))

/** Throws conflict for a drop-in of another plugin, which is never replaced. */
export async function refuseOtherDropIn(host: Host, site: Owner): Promise<void> {
  refuse(await findDropIn(host, site), site)
}

export async function installDropIn(host: Host, site: Owner): Promise<void> {
  refuse(await handle(host, site, 'install', fileOf(site)), site)
}

/** One that somebody else has put there since stays. */
export async function removeDropIn(host: Host, site: Owner): Promise<void> {
  await handle(host, site, 'remove', fileOf(site))
}

/** What `installDropIn` would do. */
export const planInstall = (host: Host, site: Owner): Promise<Effect[]> =>
  planHandle(host, site, 'install', fileOf(site))

/** What `removeDropIn` would do. */
export const planRemove = (host: Host, site: Owner): Promise<Effect[]> =>
  planHandle(host, site, 'remove', fileOf(site))

function refuse({ kind, name }: Found, { user }: Owner): void {
  if (kind === 'no_folder') throw conflict(`The site has no folder ${docrootOf(user)}/wp-content`)
  if (kind !== 'other') return
  const plugin = name === '' ? 'another plugin' : `“${name}”`
  throw conflict(
    `${pathOf(user)} belongs to ${plugin}: deactivate its object cache, so that it removes the file, and try again`,
  )
}
