import { setTimeout as sleep } from 'node:timers/promises'
import type { LogNews } from '#shared/logs/site-logs.ts'
import { Growing } from './growing.ts'
import { type Candidate, candidatesIn, matchOf, queryOf } from './matches.ts'
import type { ReadRequest } from './request.ts'
import { Sampler } from './sample.ts'

const LOOK_MS = 250
/** An empty line: writing it fails when nobody reads any more. */
const SIGN_MS = 10_000

/** Follows the newest files of a log until the time is over; `write` gets whole lines. */
export async function tail(request: ReadRequest, write: (text: string) => void): Promise<void> {
  const query = queryOf(request.source, request)
  const files = request.paths.map((path) => new Growing(path, query.format.begins))
  const sampler = new Sampler(() => performance.now())
  const end = performance.now() + request.budget_ms
  let signed = performance.now()
  write('\n')
  while (performance.now() < end) {
    await sleep(LOOK_MS)
    const found: Candidate[] = []
    for (const file of files) {
      const region = file.look()
      if (region) found.push(...candidatesIn(region, query))
    }
    for (const one of sampled(found, sampler, query)) write(`${JSON.stringify(one)}\n`)
    if (performance.now() - signed < SIGN_MS) continue
    signed = performance.now()
    write('\n')
  }
  for (const file of files) file.close()
}

/** Only shown lines are masked, because masking takes most of the time. */
function sampled(
  found: readonly Candidate[],
  sampler: Sampler,
  query: ReturnType<typeof queryOf>,
): LogNews[] {
  const { taken, left_out } = sampler.take(found)
  const lines = taken.flatMap((one): LogNews[] => {
    const match = matchOf(one, query)
    return match ? [{ kind: 'line', line: match.line }] : []
  })
  return left_out > 0 ? [...lines, { kind: 'left_out', lines: left_out }] : lines
}
