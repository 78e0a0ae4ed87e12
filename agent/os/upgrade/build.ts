import process from 'node:process'
import type { Host } from '#agent/host/ports.ts'
import type { AgentBuild } from '#shared/agent.ts'
import { machineOf } from '#shared/machines.ts'

/** The platform of this agent, as the dashboard names its builds. */
export async function buildOf({ files, settings }: Host): Promise<AgentBuild> {
  const maps = (await files.read('/proc/self/maps')) ?? ''
  return { version: settings.version, machine: machineOf(process.arch, maps) }
}
