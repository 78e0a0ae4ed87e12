import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { DiskLimits } from '#agent/kernel/site/tiers.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const amount = z.number().nonnegative()
const Room = z.object({ bytes: amount, files: amount })

const folderOf = ({ settings }: Host) => `${settings.state_dir}/room`
const pathOf = (host: Host, user: string) => `${folderOf(host)}/${user}.json`

/**
 * Records that a user has more files while it fetches some: its limits are larger for everybody who
 * sets them meanwhile.
 */
export async function recordRoom(host: Host, user: string, room: DiskLimits): Promise<void> {
  await host.files.mkdir(folderOf(host), { mode: 0o700 })
  await host.files.write(pathOf(host, user), `${JSON.stringify(room)}\n`, { mode: 0o600 })
}

/** After the fetch of a user, however it ended. */
export const forgetRoom = (host: Host, user: string): Promise<void> =>
  host.files.remove(pathOf(host, user))

/** How much more a user may have now. */
export const roomOf = async (host: Host, user: string): Promise<DiskLimits> =>
  parseJson(Room, await host.files.read(pathOf(host, user))) ?? { bytes: 0, files: 0 }
