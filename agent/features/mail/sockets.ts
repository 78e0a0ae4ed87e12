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
import { MAIL_USER, mailPlaces } from '#agent/kernel/mail/places.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { readSiteSetting, writeSetting } from './files.ts'
import { mailService, synced, syncService } from './service.ts'
import { ofSite } from './setting.ts'

/** The queue opens the socket of a new folder at once, and after half a second at the latest. */
const OPENS_MS = 2000
const LOOK_MS = 10

const placesOf = ({ settings }: Host) => mailPlaces(settings.mail_dir)

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
        writeSetting(host, path, ofSite(site, await readSiteSetting(host, site))),
      ),
    ),
    folder(host, placesOf(host).socketFolder(user), options),
    provided(async () => site.staging, queueRuns(host)),
    declared([], () => listening(host, user)),
  )
}

/** Mail of a site that finds no socket is lost. Without an answer of the queue, the site starts anyway. */
async function listening(host: Host, user: string): Promise<void> {
  const isOpen = async () => (await host.files.stat(placesOf(host).socket(user))) !== undefined
  if ((await isOpen()) || !(await isRunning(host, mailService(host)))) return
  for (const until = host.clock.elapsed() + OPENS_MS; host.clock.elapsed() < until; ) {
    await host.clock.sleep(LOOK_MS)
    if (await isOpen()) return
  }
}

/** A site without staging keeps the setting of its mail as it is. */
async function isSet(host: Host, site: Site): Promise<boolean> {
  if (!(await host.files.stat(placesOf(host).site(site.user)))) return false
  return !site.staging || (await readSiteSetting(host, site)).caught === true
}

/** Without a relay the queue runs only to keep the mail of staging sites. */
const queueRuns = (host: Host): Change => ({
  effects: synced(host, async () => true).effects,
  apply: () => syncService(host),
})

/** The queue accepts no more mail of the site, and keeps waiting mail until the socket reopens. */
export const closeSocket = (host: Host, user: string): Change =>
  removedTree(host, 'folder', placesOf(host).socketFolder(user))

/** With all waiting mail. */
export function forgetMail(host: Host, user: string): Change {
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
