import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { isReserved } from '#shared/kernel/fields.ts'

const DATABASES = ['passwd', 'group'] as const
/** The status of getent(1) when the database has no such name. */
const UNKNOWN = 2

/**
 * Throws invalid on `user` if the server knows the name: as a user or a group, as a folder of a
 * site, or as the user of a unit, which systemd makes only when the unit starts.
 */
export async function refuseKnownUser(host: Host, user: string): Promise<void> {
  for (const database of DATABASES) {
    if (await isInDatabase(host, database, user)) {
      throw invalid({ user: [`Already exists in the ${database} database of this server`] })
    }
  }
  if (await host.files.stat(homeOf(user))) {
    throw invalid({ user: [`The folder ${homeOf(user)} already exists on this server`] })
  }
  const unit = await findUnitOf(host, user)
  if (unit !== undefined) throw invalid({ user: [`${unit} of this server runs as this user`] })
}

/** Asks the name service, which also knows the dynamic users of running units. */
async function isInDatabase(host: Host, database: string, name: string): Promise<boolean> {
  const text = (await host.files.read(`/etc/${database}`, 64 << 20)) ?? ''
  if (text.split('\n').some((line) => line.startsWith(`${name}:`))) return true
  const { code, stdout, stderr } = await host.shell.try(['getent', database, name])
  if (code !== 0 && code !== UNKNOWN) throw new Error(`getent ${database}: ${stderr.trim()}`)
  return stdout !== ''
}

/**
 * Finds a unit whose processes have this user, installed or only loaded; not one of Hosting
 * Control, such as the PHP of the site. Systemd gives a unit with DynamicUser= the user with its
 * own name.
 */
export const findUnitOf = onUnits(async (host, user: string): Promise<string | undefined> => {
  const types = ['service', 'socket']
  const list = ['systemctl', 'list-unit-files', `--type=${types}`, '--no-legend', '--no-pager']
  const { stdout: listed } = await host.shell.run(list)
  const files = listed.split('\n').flatMap((line) => line.trim().split(/\s+/, 1))
  // A template has no user, but each instance has: this one is only read.
  const named = files.filter((name) => name !== '').map((name) => name.replace('@.', '@hosting.'))
  const all = [...types.map((type) => `*.${type}`), ...named]
  const show = ['systemctl', 'show', '--property=Id', '--property=User', '--no-pager', '--', ...all]
  const { stdout } = await host.shell.run(show)
  for (const block of stdout.split(/\n\s*\n/)) {
    const id = /^Id=(.+)$/m.exec(block)?.[1] ?? ''
    if (!isReserved(id) && /^User=(.*)$/m.exec(block)?.[1] === user) return id
  }
  return undefined
}, undefined)
