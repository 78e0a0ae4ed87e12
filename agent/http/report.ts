import type { Clock } from '#agent/host/ports.ts'
import { MOST_REPORT, REPORTED } from '#shared/report.ts'

/** Around the answers. */
const FRAME = 64
/** A third of the time that a dashboard waits for an answer. */
const MAX_MS = 10_000

/**
 * The answers of all calls that a sync makes, as the body of one answer. Left out are those that fail:
 * the dashboard then makes the call, and learns why; and those for which there is no room or no time.
 */
export async function reportOf(
  calls: Readonly<Record<string, () => Promise<object>>>,
  clock: Pick<Clock, 'elapsed'>,
): Promise<string> {
  const end = clock.elapsed() + MAX_MS
  const answers: string[] = []
  let left = MOST_REPORT - FRAME
  for (const path of REPORTED) {
    if (clock.elapsed() > end) break
    const answer = await calls[path]?.().catch(() => undefined)
    if (answer === undefined) continue
    const text = `${JSON.stringify(path)}:${JSON.stringify(answer)}`
    const size = Buffer.byteLength(text) + 1
    if (size > left) continue
    answers.push(text)
    left -= size
  }
  return `{"answers":{${answers.join(',')}}}`
}
