import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { Maintenance } from '#shared/updates/maintenance.ts'
import { NO_RESTARTS, Restarts, restartsOf } from './restarts.ts'

const MAX_BYTES = 16 << 20

const Kept = z.object({
  maintenance: Maintenance.nullable(),
  restarts: Restarts,
  /** Failed restarts with their reasons. */
  failed: z.record(z.string(), z.string()),
  /** The last restart of each program because of replaced files. */
  renewed: z.record(z.string(), z.number()).default({}),
})
export type Kept = z.infer<typeof Kept>

const NOTHING: Kept = { maintenance: null, restarts: NO_RESTARTS, failed: {}, renewed: {} }

const pathIn = ({ settings }: Host) => `${settings.state_dir}/maintenance.json`

/** The result of the last check. An unreadable file counts as none: everything is checked again. */
export async function readKept(host: Host): Promise<Kept> {
  return parseJson(Kept, await host.files.read(pathIn(host), MAX_BYTES)) ?? NOTHING
}

export async function writeKept(host: Host, kept: Kept): Promise<void> {
  await host.files.write(pathIn(host), `${JSON.stringify(kept)}\n`, { mode: 0o600 })
}

/** As `GET /maintenance` reports it. */
export async function readMaintenance(host: Host): Promise<Maintenance | null> {
  const { maintenance, restarts } = await readKept(host)
  return maintenance && { ...maintenance, restarts: restartsOf(restarts, host.clock.now()) }
}
