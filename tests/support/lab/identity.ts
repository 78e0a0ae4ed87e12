import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Part of every name of this process; process ids repeat, with their start time they do not. */
export const runId = `hc-${process.pid}-${startOf(process.pid)}`

/** The disks and consoles of a run's hosts. */
export const runFolder = (run: string) => join(tmpdir(), run)

/** The name of one thing of a run. */
export const nameOf = (run: string, thing: string) => `${run}.${thing}`

/** Whether `name` is that run or thing, or part of that run. */
export const belongs = (name: string, to: string) => name === to || name.startsWith(`${to}.`)

/** Runs whose process has ended without cleaning up. */
export function deadRuns(): string[] {
  const names = [...list('/run/netns'), ...list(tmpdir())]
  const runs = names.map((name) => /^hc-(\d+)-([0-9a-z]+)/.exec(name))
  const dead = runs.flatMap((run) => (run && startOf(Number(run[1])) !== run[2] ? [run[0]] : []))
  return [...new Set(dead)]
}

/** Field 22 of /proc/PID/stat, counted after the name in brackets, which may have blanks. */
function startOf(pid: number): string {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return ''
  const stat = readFileSync(file, 'utf8')
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return Number(ticks).toString(36)
}

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
