import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const amount = z.number().int().nonnegative().nullable()

const UsageMeasurement = z.object({
  bytes: amount,
  files: amount,
  database_bytes: amount,
  measured_at: z.iso.datetime(),
})
/** One measurement of a site; null for a number that was not measured to its end. */
export type UsageMeasurement = z.infer<typeof UsageMeasurement>

/** The measurements by system user, as a domain may get another site. */
const UsageFile = z.record(z.string(), UsageMeasurement)
type UsageFile = z.infer<typeof UsageFile>

const MAX_BYTES = 16 << 20

const pathIn = ({ settings }: Host) => `${settings.state_dir}/usage.json`

/** Reads the last measurements. An unreadable file counts as none: everything is measured again. */
export async function readUsage(host: Host): Promise<UsageFile> {
  return parseJson(UsageFile, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
}

/** Adds a measurement, and forgets those of other users than `users`. */
export async function recordUsage(
  host: Host,
  users: ReadonlySet<string>,
  added: UsageFile,
): Promise<void> {
  const before = Object.entries(await readUsage(host)).filter(([name]) => users.has(name))
  const after = { ...Object.fromEntries(before), ...added }
  await host.files.write(pathIn(host), `${JSON.stringify(after)}\n`, { mode: 0o600 })
}
