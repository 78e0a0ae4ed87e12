import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { DiskLimits } from '#agent/kernel/site/tiers.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const amount = z.number().nonnegative()
const ExtraQuota = z.object({ bytes: amount, files: amount })

const folderOf = ({ settings }: Host) => `${settings.state_dir}/room`
const pathOf = (host: Host, user: string) => `${folderOf(host)}/${user}.json`

/** Records that a user has more files while it fetches some, for all who set its limits. */
export async function recordExtraQuota(host: Host, user: string, room: DiskLimits): Promise<void> {
  await host.files.mkdir(folderOf(host), { mode: 0o700 })
  await host.files.write(pathOf(host, user), `${JSON.stringify(room)}\n`, { mode: 0o600 })
}

/** Removes the record after the fetch, however it ended. */
export const removeExtraQuota = (host: Host, user: string): Promise<void> =>
  host.files.remove(pathOf(host, user))

/** Returns how much more a user may have now. */
export const extraQuotaOf = async (host: Host, user: string): Promise<DiskLimits> =>
  parseJson(ExtraQuota, await host.files.read(pathOf(host, user))) ?? { bytes: 0, files: 0 }
