import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import type { DiskLimits } from '#agent/os/site/tiers.ts'
import { parseJson } from '#shared/parse.ts'

const amount = z.number().nonnegative()
/** By system user. */
const Rooms = z.record(z.string(), z.object({ bytes: amount, files: amount }))
type Rooms = z.infer<typeof Rooms>

const folderOf = ({ settings }: Host) => `${settings.state_dir}/room`
const pathOf = (host: Host, user: string) => `${folderOf(host)}/${user}.json`

/**
 * Records that these users have more files while `user` fetches some: their limits are larger for
 * everybody who sets them meanwhile, and after a crash it is known whose are to be set again.
 */
export async function recordRooms(host: Host, user: string, rooms: Rooms): Promise<void> {
  await host.files.mkdir(folderOf(host), { mode: 0o700 })
  await host.files.write(pathOf(host, user), `${JSON.stringify(rooms)}\n`, { mode: 0o600 })
}

/** Removes the record of `user`, and returns whose limits were larger. */
export async function forgetRooms(host: Host, user: string): Promise<string[]> {
  const rooms = parseJson(Rooms, await host.files.read(pathOf(host, user))) ?? {}
  await host.files.remove(pathOf(host, user))
  return Object.keys(rooms)
}

/** How much more a user may have now. */
export async function roomOf(host: Host, user: string): Promise<DiskLimits> {
  const folder = folderOf(host)
  const room: DiskLimits = { bytes: 0, files: 0 }
  for (const { name } of (await host.files.stat(folder)) ? await host.files.list(folder) : []) {
    const own = parseJson(Rooms, await host.files.read(`${folder}/${name}`))?.[user]
    room.bytes += own?.bytes ?? 0
    room.files += own?.files ?? 0
  }
  return room
}
