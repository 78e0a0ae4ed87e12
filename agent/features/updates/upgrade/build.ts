import process from 'node:process'
import type { Host } from '#agent/kernel/host/ports.ts'
import { machineOf } from '#shared/kernel/machines.ts'
import type { AgentBuild } from '#shared/servers/agent.ts'

/** Returns the platform of this agent, as the dashboard names its builds. */
export async function buildOf({ files, settings }: Host): Promise<AgentBuild> {
  const maps = (await files.read('/proc/self/maps')) ?? ''
  return { version: settings.version, machine: machineOf(process.arch, maps) }
}
