import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const number = z.number()

/** A snapshot. The parts are those of a manifest that was read: it never changes. */
const KnownSnapshot = z.object({
  parts: z.array(z.string()).optional(),
  arrived: number,
  /** The time when the storage did not have the snapshot any more. */
  lost: number.optional(),
  /** True when a run began to forget it. */
  leaving: z.boolean().optional(),
})

const RepositoryState = z.object({
  /** The time when the last complete run on it ended. */
  done: number.optional(),
  /** The time when its snapshots were listed last. */
  listed: number.optional(),
  /** The file in `keys` with the key of this keeper. */
  key: z.string().optional(),
  snapshots: z.record(z.string(), KnownSnapshot).default({}),
  /** True when unused data is left to be removed. */
  prune: z.boolean().default(false),
  /** The next part of the data to read. */
  part: number.default(1),
})
export type RepositoryState = z.output<typeof RepositoryState>

const KeeperState = z.object({
  /** The time of the last run whose clock was believed. */
  last_run: number.optional(),
  /** The times of the first and the last run with another clock since then. */
  doubt: z.object({ since: number, last: number }).optional(),
  repositories: z.record(z.string(), RepositoryState).default({}),
})
export type KeeperState = z.output<typeof KeeperState>

const MAX_BYTES = 1 << 30

export const newRepository = (): RepositoryState => RepositoryState.parse({})

/** Reads the state. Throws when it is damaged: without it a forged date would be believed. */
export async function readState(files: Files, path: string): Promise<KeeperState> {
  const text = await files.read(path, MAX_BYTES)
  if (text === undefined) return KeeperState.parse({})
  const state = parseJson(KeeperState, text)
  if (state) return state
  throw new Error(`${path} is damaged: restore it, or remove it to begin again`)
}

export const writeState = (files: Files, path: string, state: KeeperState): Promise<void> =>
  files.write(path, `${JSON.stringify(state)}\n`, { mode: 0o600 })
