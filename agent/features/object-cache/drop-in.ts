import type { Change } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  type FoundFile,
  type OwnFile,
  ownFileChange,
  runFileAction,
} from '#agent/kernel/sandbox/own-file.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { DROP_IN_TEXT } from './server-php.ts'

type DropInSite = Pick<Site, 'user' | 'php'>

const pathOf = (user: string) => `${docrootOf(user)}/wp-content/object-cache.php`
const fileOf = ({ user }: DropInSite): OwnFile => ({ path: pathOf(user), text: DROP_IN_TEXT })

export const findDropIn = (host: Host, site: DropInSite): Promise<FoundFile> =>
  runFileAction(host, site, 'look', fileOf(site))

/** Throws conflict for a drop-in of another plugin, which is never replaced. */
export async function refuseOtherDropIn(host: Host, site: DropInSite): Promise<void> {
  refuseOther(await findDropIn(host, site), site)
}

export const installDropIn = (host: Host, site: DropInSite): Change =>
  ownFileChange(host, site, 'install', fileOf(site), (found) => refuseOther(found, site))

/** Removes the drop-in, but not one of somebody else. */
export const removeDropIn = (host: Host, site: DropInSite): Change =>
  ownFileChange(host, site, 'remove', fileOf(site))

function refuseOther({ kind, name }: FoundFile, { user }: DropInSite): void {
  if (kind === 'no_folder') throw conflict(`The site has no folder ${docrootOf(user)}/wp-content`)
  if (kind !== 'other') return
  const plugin = name === '' ? 'another plugin' : `“${name}”`
  throw conflict(
    `${pathOf(user)} belongs to ${plugin}: deactivate its object cache, so that it removes the file, and try again`,
  )
}
