import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import process from 'node:process'
import { promisify } from 'node:util'
import type { Programs, RunOptions } from '#agent/host/ports.ts'
import { groupMembers, killGroup, lastingTag, removeGroup, unitPrefix } from './cgroups.ts'

/** Every program of an operation has it in its environment, and hands it on to what it starts. */
const COOKIE = 'HOSTING_OPERATION'

/** The programs that this process has started and that have not ended, by tag. */
const started = new Map<string, Set<number>>()

/** Those of whose units systemd knows no more than this process, by tag. */
const settled = new Set<string>()

type Owner = Pick<RunOptions, 'operation' | 'lasting'>

/** How the processes of an operation are known: undefined for what belongs to none. */
export function tagOf({ operation, lasting = false }: Owner): string | undefined {
  return operation !== undefined && lasting ? lastingTag(operation) : operation
}

/** The mark of an operation, for the environment of its programs. */
export function cookieOf(tag: string | undefined): Record<string, string> {
  return tag === undefined ? {} : { [COOKIE]: tag }
}

/** A name for a transient unit of the operation: systemd-run(1). */
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

/**
 * By control group where there are some, and by process group and the mark in the environment for
 * where there are none.
 */
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

/**
 * Units of which no process is there yet. systemd answers one after the other: what it was asked for
 * by a systemd-run that was killed is in this answer, or will never come.
 */
async function unitsOf(tag: string): Promise<number> {
  if (settled.has(tag) || !existsSync('/run/systemd/system')) return 0
  const argv = ['list-units', '--plain', '--no-legend', `${unitPrefix(tag)}*`]
  const { stdout } = await promisify(execFile)('systemctl', argv)
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
      // What has ended meanwhile, and what this process may not look into, has nothing to show.
      const text = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
      return marks.some((mark) => `\0${text}`.includes(mark)) ? [Number(name)] : []
    }),
  )
  return found.flat().filter((pid) => pid !== process.pid)
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself in this moment.
  }
}
