import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import process from 'node:process'
import { promisify } from 'node:util'
import type { Programs, RunOptions } from '#agent/kernel/host/ports.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { groupMembers, killGroup, lastingTag, removeGroup, unitPrefix } from './cgroups.ts'
import { ensureExecutable } from './executable.ts'

/** The variable in the environment of every program of an operation, which its children inherit. */
const COOKIE = 'HOSTING_OPERATION'

/** The running programs of this process, by tag. */
const started = new Map<string, Set<number>>()

/** The tags of programs whose units systemd has not reported yet. */
const settled = new Set<string>()

const SYSTEMCTL = '/usr/bin/systemctl'

type ProgramOwner = Pick<RunOptions, 'operation' | 'lasting'>

/** Returns the tag of the processes of an operation; undefined without one. */
export function tagOf({ operation, lasting = false }: ProgramOwner): string | undefined {
  return operation !== undefined && lasting ? lastingTag(operation) : operation
}

/** Returns the variable of an operation for the environment of its programs. */
export function cookieOf(tag: string | undefined): Record<string, string> {
  return tag === undefined ? {} : { [COOKIE]: tag }
}

/** Names a transient unit of the operation: systemd-run(1). */
export function unitOf(tag: string | undefined): string[] {
  if (tag === undefined) return []
  settled.delete(tag)
  return [`--unit=${unitPrefix(tag)}${randomBytes(6).toString('hex')}.service`]
}

/** Remembers the process group of a program until the returned function is called. */
export function remember(tag: string | undefined, pid: number | undefined): () => void {
  if (tag === undefined || pid === undefined) return () => undefined
  const known = started.get(tag) ?? new Set()
  started.set(tag, known.add(pid))
  return () => {
    known.delete(pid)
    if (known.size === 0 && started.get(tag) === known) started.delete(tag)
  }
}

/** Finds programs by control group, or else by process group and environment. */
export const programs: Programs = {
  async signal(operation, name) {
    for (const tag of tagsOf(operation)) {
      if (name === 'SIGKILL') killGroup(tag)
      for (const pid of started.get(tag) ?? []) send(-pid, name)
    }
    for (const pid of await processesOf(tagsOf(operation))) send(pid, name)
  },

  async count(operation) {
    const tags = tagsOf(operation)
    const found = (await processesOf(tags)).length
    if (found > 0) return found
    const coming = await Promise.all(tags.map(unitsOf))
    return coming.reduce((sum, units) => sum + units, 0)
  },

  async lasting(operation) {
    const tag = lastingTag(operation)
    return (await processesOf([tag])).length + (await unitsOf(tag))
  },

  async forget(operation) {
    for (const tag of tagsOf(operation)) {
      removeGroup(tag)
      settled.delete(tag)
    }
  },
}

/** Counts units without a process yet; systemd answers requests in order. */
async function unitsOf(tag: string): Promise<number> {
  if (settled.has(tag) || !existsSync('/run/systemd/system')) return 0
  const argv = ['list-units', '--plain', '--no-legend', `${unitPrefix(tag)}*`]
  await ensureExecutable(SYSTEMCTL)
  const { stdout } = await promisify(execFile)(SYSTEMCTL, argv)
  const units = stdout.split('\n').filter((line) => / (active|activating) /.test(line)).length
  if (units === 0) settled.add(tag)
  return units
}

const tagsOf = (operation: string) => [operation, lastingTag(operation)]

async function processesOf(tags: readonly string[]): Promise<number[]> {
  const grouped = tags.flatMap(groupMembers)
  const alone = tags.flatMap((tag) => [...(started.get(tag) ?? [])])
  return [...new Set([...grouped, ...alone, ...(await marked(tags))])]
}

async function marked(tags: readonly string[]): Promise<number[]> {
  const marks = tags.map((tag) => `\0${COOKIE}=${tag}\0`)
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      // Ended processes, and those that this process may not inspect, show nothing.
      const text = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
      return marks.some((mark) => `\0${text}`.includes(mark)) ? [Number(name)] : []
    }),
  )
  return found.flat().filter((pid) => pid !== process.pid)
}

/** Sends a signal; a negative pid is that of a process group. An ended process gets none. */
export function send(pid: number, name: NodeJS.Signals): void {
  undefinedIfThrows(() => process.kill(pid, name))
}
