import type { Fed } from '#agent/kernel/host/fed.ts'
import type { Output } from '#agent/kernel/host/ports.ts'

/** A program that feeds another one failed; `depth` 1 feeds the last one, 2 feeds that, and so on. */
export class FeederFailed extends Error {
  readonly depth: number
  readonly fed: Fed

  constructor(depth: number, fed: Fed) {
    super(`A program that feeds another one failed (exit status ${fed.code})`)
    this.depth = depth
    this.fed = fed
  }
}

/** A program that only lost the one that it feeds is not the cause; between them is a socket, or a pipe. */
const LOST_READER = /EPIPE|Broken pipe|ECONNRESET|Connection reset by peer|errno:? (?:32|104)\b/i

/**
 * Throws FeederFailed for the first program of a pipe that failed by itself: those after it got a
 * part of their input, and those before it lost their reader. `fine` are exit statuses that are no
 * failure. When the last program failed and no other one says why, its own error is the cause.
 */
export function refuseFailedFeeder(output: Output, fine: readonly number[] = [0]): void {
  const chain: Fed[] = []
  for (let fed = output.fed; fed; fed = fed.fed) chain.unshift(fed)
  const failed = chain.filter(({ code }) => !fine.includes(code))
  const telling = failed.find(({ stderr }) => stderr.trim() !== '' && !LOST_READER.test(stderr))
  const cause = telling ?? (output.code === 0 ? failed.at(-1) : undefined)
  if (cause) throw new FeederFailed(chain.length - chain.indexOf(cause), cause)
}
