import { z } from 'zod'
import { progressOf, shareOf } from '#agent/kernel/host/report-progress.ts'
import { isVanished } from '#agent/kernel/host/storage.ts'
import { isDamageError } from '#shared/backups/restic-complaint.ts'

/** A line of `restic backup --json` and `restic restore --json`. */
const Status = z.object({
  message_type: z.literal('status'),
  total_bytes: z.number().default(0),
  bytes_done: z.number().optional(),
  bytes_restored: z.number().optional(),
  seconds_remaining: z.number().optional(),
})
export const Summary = z.object({
  message_type: z.literal('summary'),
  snapshot_id: z.string().regex(/^[0-9a-f]{64}$/),
  total_files_processed: z.int().nonnegative(),
  total_bytes_processed: z.int().nonnegative(),
  data_added: z.int().nonnegative(),
  data_added_packed: z.int().nonnegative().optional(),
  files_new: z.int().optional(),
  files_changed: z.int().optional(),
  dirs_new: z.int().optional(),
  dirs_changed: z.int().optional(),
})
export type Summary = z.infer<typeof Summary>

/** Returns whether nothing changed since the parent snapshot; a deletion changes its folder. */
export const isUnchanged = (summary: Summary): boolean =>
  [summary.files_new, summary.files_changed, summary.dirs_new, summary.dirs_changed].every(
    (count) => count === 0,
  )

const Problem = z.object({
  message_type: z.literal('error'),
  error: z.object({ message: z.string() }),
})

const EVERY_MS = 5000

/** Turns lines of restic into readable ones, at most one each five seconds. */
export class ProgressLines {
  #started: number | undefined
  #last: number | undefined
  summary: Summary | undefined
  /** False after an error that is not about a file that was deleted meanwhile. */
  onlyVanished = true
  readonly #elapsed: () => number

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  read(line: string): string | undefined {
    const value = parsedLine(line)
    this.summary = Summary.safeParse(value).data ?? this.summary
    const problem = Problem.safeParse(value).data
    if (problem && !isOfSite(problem.error.message)) this.onlyVanished = false
    const status = Status.safeParse(value).data
    if (!status || status.total_bytes === 0) return
    const now = this.#elapsed()
    this.#started ??= now
    this.#last ??= now
    if (now - this.#last < EVERY_MS) return
    this.#last = now
    return readable(status, now - this.#started)
  }
}

/** Formats a line; a restore does not report its remaining time. */
function readable(status: z.infer<typeof Status>, elapsed_ms: number): string {
  const { total_bytes: total, bytes_done, bytes_restored, seconds_remaining: seconds } = status
  const done = bytes_done ?? bytes_restored ?? 0
  if (bytes_done === undefined) return progressOf(done, total, elapsed_ms)
  return shareOf(done, total, seconds)
}

/** Distinguishes a missing file of the site from one of a local repository by more than words. */
const isOfSite = (message: string) => isVanished(message) && !isDamageError(message)

function parsedLine(line: string): unknown {
  try {
    return line.startsWith('{') ? JSON.parse(line) : undefined
  } catch {
    return undefined
  }
}
