import type { Host } from '#agent/host/ports.ts'
import * as effects from '#agent/os/effects/effects.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { Effect } from '#shared/plan.ts'
import { writeSetting } from './files.ts'
import { MAIL_USER, mailPlaces } from './places.ts'
import { newSiteSetting } from './setting.ts'

const placesOf = ({ settings }: Host) => mailPlaces(settings.mail_dir)

/** Where the queue listens for a site, and what holds for it; a setting that is there stays. */
export async function openSocket(host: Host, { user, domain }: Site): Promise<void> {
  const path = placesOf(host).site(user)
  if (!(await host.files.stat(path))) await writeSetting(host, path, newSiteSetting(domain))
  // Nobody but the queue and this site can go in.
  const options = { mode: 0o710, owner: MAIL_USER, group: user }
  await host.files.mkdir(placesOf(host).socketFolder(user), options)
}

/** What `openSocket` would do. */
export async function openingSocket(host: Host, user: string): Promise<Effect[]> {
  return [
    ...(await effects.making(host, 'file', placesOf(host).site(user))),
    ...(await effects.making(host, 'folder', placesOf(host).socketFolder(user))),
  ]
}

/** The queue takes no more of the site, and keeps what waits until the door is open again. */
export async function closeSocket(host: Host, user: string): Promise<void> {
  await removeTree(host, placesOf(host).socketFolder(user))
}

/** What `closeSocket` would do. */
export const closingSocket = (host: Host, user: string): Promise<Effect[]> =>
  effects.removing(host, 'folder', placesOf(host).socketFolder(user))

/** With all that waits. */
export async function forgetMail(host: Host, user: string): Promise<void> {
  const places = placesOf(host)
  await closeSocket(host, user)
  await host.files.remove(places.site(user))
  await removeTree(host, places.queueOf(user))
  await removeTree(host, places.statusOf(user))
}

/** What `forgetMail` would do. */
export async function forgettingMail(host: Host, user: string): Promise<Effect[]> {
  const places = placesOf(host)
  return [
    ...(await closingSocket(host, user)),
    ...(await effects.removing(host, 'file', places.site(user), places.statusOf(user))),
    ...(await effects.removing(host, 'folder', places.queueOf(user))),
  ]
}

/** By rm(1), which follows no link that the queue could put there meanwhile. */
async function removeTree(host: Host, path: string): Promise<void> {
  if (!(await host.files.stat(path))) return
  await host.shell.run(['rm', '-rf', '--one-file-system', '--', path])
}
