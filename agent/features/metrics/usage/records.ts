import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const amount = z.number().int().nonnegative().nullable()

const Measured = z.object({
  bytes: amount,
  files: amount,
  database_bytes: amount,
  measured_at: z.iso.datetime(),
})
/** One measurement of a site; null: not measured to its end. */
export type Measured = z.infer<typeof Measured>

/** By system user: a site that is created again under its former domain has another one. */
const Records = z.record(z.string(), Measured)
type Records = z.infer<typeof Records>

const MAX_BYTES = 16 << 20

const pathIn = ({ settings }: Host) => `${settings.state_dir}/usage.json`

/** The last measurements. An unreadable file counts as none: everything is measured again. */
export async function readMeasured(host: Host): Promise<Records> {
  return parseJson(Records, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
}

/** Adds a measurement, and forgets those of other users than `users`. */
export async function recordMeasured(
  host: Host,
  users: ReadonlySet<string>,
  added: Records,
): Promise<void> {
  const before = Object.entries(await readMeasured(host)).filter(([name]) => users.has(name))
  const after = { ...Object.fromEntries(before), ...added }
  await host.files.write(pathIn(host), `${JSON.stringify(after)}\n`, { mode: 0o600 })
}
