import { type ChildProcess, spawn } from 'node:child_process'
import { groupExists, signalGroup, statusOf } from './child.ts'
import { poll } from './wait.ts'

/** A background program; it ends with the lab at the latest. */
export type Background = {
  pid: number
  /** Its output so far, both streams in the order of their arrival. */
  output: () => string
  /** Resolves with its status; a signal counts as 128 + its number. */
  exited: Promise<number>
  /** Sends the signal (SIGTERM) to it and its children, and waits for the end of them all. */
  stop: (signal?: NodeJS.Signals) => Promise<number>
}

export function background(argv: readonly string[], env: Record<string, string>): Background {
  const [file = '', ...args] = argv
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  const exited = endOf(child)
  const pid = child.pid ?? 0
  return {
    pid,
    exited,
    output: () => Buffer.concat(chunks).toString(),
    stop: async (signal = 'SIGTERM') => {
      signalGroup(pid, signal)
      const status = await exited
      // nsenter(1) dies of the signal at once, even if the program still runs.
      const awaited = `${file} has ended after ${signal}`
      await poll(() => !groupExists(pid), { every_ms: 10, timeout_ms: 120_000, awaited })
      return status
    },
  }
}

/** Resolves with the status; a program that could not be started ends with 127. */
export const endOf = (child: ChildProcess) =>
  new Promise<number>((resolve) => {
    child.on('error', () => resolve(127))
    child.on('exit', (status, signal) => {
      resolve(statusOf(status, signal))
    })
  })
