import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { Maintenance } from '#shared/updates/maintenance.ts'
import { NO_RESTARTS, Restarts, restartsOf } from './restarts.ts'

const MAX_BYTES = 16 << 20

const MaintenanceState = z.object({
  maintenance: Maintenance.nullable(),
  restarts: Restarts,
  /** Failed restarts with their reasons. */
  failed: z.record(z.string(), z.string()),
  /** The time of the last restart of each program because of replaced files. */
  renewed: z.record(z.string(), z.number()).default({}),
})
export type MaintenanceState = z.infer<typeof MaintenanceState>

const NOTHING: MaintenanceState = {
  maintenance: null,
  restarts: NO_RESTARTS,
  failed: {},
  renewed: {},
}

const pathIn = ({ settings }: Host) => `${settings.state_dir}/maintenance.json`

/** Reads the result of the last check. An unreadable one counts as none. */
export async function readMaintenanceState(host: Host): Promise<MaintenanceState> {
  return parseJson(MaintenanceState, await host.files.read(pathIn(host), MAX_BYTES)) ?? NOTHING
}

export async function writeMaintenanceState(host: Host, kept: MaintenanceState): Promise<void> {
  await host.files.write(pathIn(host), `${JSON.stringify(kept)}\n`, { mode: 0o600 })
}

/** Returns the report of `GET /maintenance`. */
export async function readMaintenance(host: Host): Promise<Maintenance | null> {
  const { maintenance, restarts } = await readMaintenanceState(host)
  return maintenance && { ...maintenance, restarts: restartsOf(restarts, host.clock.now()) }
}
