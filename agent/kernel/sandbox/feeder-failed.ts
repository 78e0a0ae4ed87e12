import type { FeederOutput } from '#agent/kernel/host/feeder-output.ts'
import type { Output } from '#agent/kernel/host/ports.ts'

/** Thrown if a feeding program failed; `depth` 1 feeds the last one, 2 feeds that. */
export class FeederFailed extends Error {
  readonly depth: number
  readonly fed: FeederOutput

  constructor(depth: number, fed: FeederOutput) {
    super(`A program that feeds another one failed (exit status ${fed.code})`)
    this.depth = depth
    this.fed = fed
  }
}

/** Matches the error of a program that only lost its reader, over a socket or a pipe. */
const LOST_READER = /EPIPE|Broken pipe|ECONNRESET|Connection reset by peer|errno:? (?:32|104)\b/i

/**
 * Throws FeederFailed for the first program of a pipe that failed by itself: those after it got a
 * part of their input, and those before it lost their reader. `fine` are exit statuses that are no
 * failure. When the last program failed and no other one says why, its own error is the cause.
 */
export function refuseFailedFeeder(output: Output, fine: readonly number[] = [0]): void {
  const chain: FeederOutput[] = []
  for (let fed = output.fed; fed; fed = fed.fed) chain.unshift(fed)
  const failed = chain.filter(({ code }) => !fine.includes(code))
  const telling = failed.find(({ stderr }) => stderr.trim() !== '' && !LOST_READER.test(stderr))
  const cause = telling ?? (output.code === 0 ? failed.at(-1) : undefined)
  if (cause) throw new FeederFailed(chain.length - chain.indexOf(cause), cause)
}
