import { type Maintenance, MaintenanceAnswer } from '#shared/maintenance.ts'
import type { Agents } from './agents.ts'

type Address = Parameters<Agents['get']>[0]

/** Undefined: the agent does not report it, or has not checked yet, and the record stays. */
export async function askMaintenance(
  agents: Agents,
  to: Address,
): Promise<Maintenance | undefined> {
  try {
    const { maintenance } = await agents.get(to, '/maintenance', MaintenanceAnswer)
    return maintenance ?? undefined
  } catch {
    return undefined
  }
}
