import process from 'node:process'
import type { AgentBuild } from '#shared/agent.ts'
import { machineOf } from '#shared/machines.ts'
import type { Host } from '../host/ports.ts'

/** What runs here, as the dashboard names its builds. */
export async function buildOf({ files, settings }: Host): Promise<AgentBuild> {
  const maps = (await files.read('/proc/self/maps')) ?? ''
  return { version: settings.version, machine: machineOf(process.arch, maps), signed_builds: true }
}
