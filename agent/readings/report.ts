import type { Clock } from '#agent/host/ports.ts'
import { MAX_REPORT, REPORTED } from '#shared/report.ts'

/** Around the answers. */
const FRAME = 64
/** A third of the time that a dashboard waits for an answer. */
const MAX_MS = 10_000

type Path = (typeof REPORTED)[number]

/**
 * The answers of all readings that a sync needs, in one answer. Left out are those that fail: the
 * dashboard then asks for them alone, and learns why; and those for which there is no room or no time.
 */
export async function reportOf(
  ask: (path: Path) => Promise<object | undefined>,
  clock: Pick<Clock, 'elapsed'>,
): Promise<{ answers: { [path in Path]?: object } }> {
  const answers: { [path in Path]?: object } = {}
  const end = clock.elapsed() + MAX_MS
  let left = MAX_REPORT - FRAME
  for (const path of REPORTED) {
    if (clock.elapsed() > end) break
    const answer = await ask(path).catch(() => undefined)
    if (answer === undefined) continue
    const size = Buffer.byteLength(`${JSON.stringify(path)}:${JSON.stringify(answer)},`)
    if (size > left) continue
    answers[path] = answer
    left -= size
  }
  return { answers }
}
