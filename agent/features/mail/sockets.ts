import {
  type Change,
  declared,
  folder,
  inOrder,
  provided,
  removed,
  removedTree,
} from '#agent/kernel/effects/change.ts'
import { create } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_USER, mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { readSiteSetting, writeSetting } from './files.ts'
import { mailService, synced, syncMailService } from './service.ts'
import { siteSettingFor } from './setting.ts'

/** The time in which the queue opens the socket of a new folder: half a second at the latest. */
const OPENS_MS = 2000
const LOOK_MS = 10

const placesOf = ({ settings }: Host) => mailPathsIn(settings.mail_dir)

/** Creates the socket folder of a site, and its setting if it is missing. */
export function openSocket(host: Host, site: Site): Change {
  const { user } = site
  const path = placesOf(host).site(user)
  // Only the queue and this site can enter the folder.
  const options = { mode: 0o710, owner: MAIL_USER, group: user }
  return inOrder(
    provided(
      async () => !(await isSet(host, site)),
      declared([create('file', path)], async () =>
        writeSetting(host, path, siteSettingFor(site, await readSiteSetting(host, site))),
      ),
    ),
    folder(host, placesOf(host).socketFolder(user), options),
    provided(async () => site.staging, queueSynced(host)),
    declared([], () => awaitSocket(host, user)),
  )
}

/** Waits for the socket, since mail without it is lost. The site starts in any case. */
async function awaitSocket(host: Host, user: string): Promise<void> {
  const isOpen = async () => (await host.files.stat(placesOf(host).socket(user))) !== undefined
  if ((await isOpen()) || !(await isRunning(host, mailService(host)))) return
  for (const until = host.clock.elapsed() + OPENS_MS; host.clock.elapsed() < until; ) {
    await host.clock.sleep(LOOK_MS)
    if (await isOpen()) return
  }
}

/** Returns whether the setting exists; a site without staging keeps it as it is. */
async function isSet(host: Host, site: Site): Promise<boolean> {
  if (!(await host.files.stat(placesOf(host).site(site.user)))) return false
  return !site.staging || (await readSiteSetting(host, site)).caught === true
}

/** Starts the queue without a relay only to keep the mail of staging sites. */
const queueSynced = (host: Host): Change => ({
  effects: synced(host, async () => true).effects,
  apply: () => syncMailService(host),
})

/** Closes the socket: the site's mail is refused; waiting mail is kept until it reopens. */
export const closeSocket = (host: Host, user: string): Change =>
  removedTree(host, 'folder', placesOf(host).socketFolder(user))

/** Removes the setting, the socket and all waiting mail. */
export function mailRemoved(host: Host, user: string): Change {
  const places = placesOf(host)
  return inOrder(
    closeSocket(host, user),
    removed(host, 'file', places.site(user)),
    removedTree(host, 'file', places.statusOf(user)),
    removedTree(host, 'file', places.logOf(user)),
    removedTree(host, 'file', `${places.logOf(user)}.1`),
    removedTree(host, 'folder', places.queueOf(user)),
  )
}
