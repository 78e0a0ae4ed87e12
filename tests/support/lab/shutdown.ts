import { readlinkSync } from 'node:fs'
import { endOf } from './background.ts'
import { signalPid } from './child.ts'
import type { Machine, Running } from './nspawn.ts'
import { run } from './run.ts'
import { polled } from './wait.ts'

/** A power failure: every process inside dies at once. */
export async function powerOff({ nspawn, leader }: Running): Promise<void> {
  signalPid(leader, 'SIGKILL')
  await ended(nspawn)
}

/** An orderly shutdown; after half a minute the rest is killed. */
export async function shutDown(running: Running, { name, init }: Machine): Promise<void> {
  const { nspawn } = running
  if (init === 'systemd') nspawn.kill('SIGTERM')
  else await endPrograms(running, name)
  const done = init === 'systemd' && (await polled(() => isOver(nspawn), { timeout_ms: 30_000 }))
  if (!done) await powerOff(running)
}

/** Like a container engine: SIGTERM to all, a delay, then the end. */
async function endPrograms({ leader }: Running, netns: string): Promise<void> {
  const programs = await insidersOf(leader, netns)
  for (const pid of programs) signalPid(pid, 'SIGTERM')
  await polled(async () => (await insidersOf(leader, netns)).length === 0, { timeout_ms: 30_000 })
}

/** Processes of the machine except its first two, which belong to every machine. */
async function insidersOf(leader: number, netns: string): Promise<number[]> {
  const { stdout } = await run(['ip', 'netns', 'pids', netns])
  const space = pidSpace(leader)
  const { stdout: children } = await run(['pgrep', '--parent', `${leader}`, '--exact', 'sleep'])
  const [idle = ''] = children.split('\n')
  return stdout
    .split('\n')
    .filter((pid) => pid && pid !== `${leader}` && pid !== idle)
    .map(Number)
    .filter((pid) => pidSpace(pid) === space)
}

function pidSpace(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return ''
  }
}

export const isOver = ({ exitCode, signalCode }: Running['nspawn']) =>
  exitCode !== null || signalCode !== null

const ended = async (nspawn: Running['nspawn']) => {
  if (!isOver(nspawn)) await endOf(nspawn)
}
