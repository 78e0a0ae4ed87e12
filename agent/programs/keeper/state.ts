import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'

const number = z.number()

/** A snapshot. The parts are those of a manifest that was read: it never changes. */
const Known = z.object({
  parts: z.array(z.string()).optional(),
  arrived: number,
  /** When the storage did not have the snapshot any more. */
  lost: number.optional(),
  /** A run began to forget it. */
  leaving: z.boolean().optional(),
})

const RepositoryState = z.object({
  /** When the last complete run on it ended. */
  done: number.optional(),
  /** When its snapshots were listed last. */
  listed: number.optional(),
  /** The key of this keeper in it: a file in `keys`. */
  key: z.string().optional(),
  snapshots: z.record(z.string(), Known).default({}),
  /** Unused data is left to be removed. */
  prune: z.boolean().default(false),
  /** The next part of the data to read. */
  part: number.default(1),
})
export type RepositoryState = z.output<typeof RepositoryState>

const KeeperState = z.object({
  /** The last run whose clock was believed. */
  last_run: number.optional(),
  /** The first and the last run with another clock since then. */
  doubt: z.object({ since: number, last: number }).optional(),
  repositories: z.record(z.string(), RepositoryState).default({}),
})
export type KeeperState = z.output<typeof KeeperState>

const MOST = 1 << 30

export const newRepository = (): RepositoryState => RepositoryState.parse({})

/** Throws when it is damaged: without it a forged date would be believed. */
export async function readState(files: Files, path: string): Promise<KeeperState> {
  const text = await files.read(path, MOST)
  if (text === undefined) return KeeperState.parse({})
  const parsed = KeeperState.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  throw new Error(`${path} is damaged: restore it, or remove it to begin again`)
}

export const writeState = (files: Files, path: string, state: KeeperState): Promise<void> =>
  files.write(path, `${JSON.stringify(state)}\n`, { mode: 0o600 })

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
