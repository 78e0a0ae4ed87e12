import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Fed } from '#agent/kernel/host/fed.ts'
import type { RunOptions } from '#agent/kernel/host/ports.ts'
import { reportEach } from './seen.ts'

const MAX_END = 200
/** A report of the rewriter has a line for each table. */
const MAX_STDERR = 1 << 20

interface Feeding {
  /** What the first program got. */
  before?: Promise<Fed> | undefined
  /** Its `seen` and `seen_ms`. */
  options?: RunOptions
}

/** Passes the output of one program to another, and measures it. Never throws. */
export async function feed(
  feeder: ChildProcess,
  ended: Promise<number>,
  child: ChildProcess,
  { before, options = {} }: Feeding = {},
): Promise<Fed> {
  const hash = createHash('sha256')
  let bytes = 0
  let end: Buffer = Buffer.alloc(0)
  let stderr = ''
  feeder.stderr?.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8')
  })
  const measured = new Transform({
    transform(chunk: Buffer, _, next) {
      hash.update(chunk)
      bytes += chunk.length
      end = chunk.length >= MAX_END ? chunk : Buffer.concat([end.subarray(-MAX_END), chunk])
      next(null, chunk)
    },
  })
  // Until its end: it may work on what it has for a long time.
  if (options.seen)
    child.once(
      'close',
      reportEach(options, () => bytes),
    )
  if (feeder.stdout && child.stdin) {
    // A program that ends before its input closes the pipe: its own status says why.
    await pipeline(feeder.stdout, measured, child.stdin).catch(() => undefined)
  }
  const code = await ended
  return {
    code,
    stderr,
    bytes,
    sha256: hash.digest('hex'),
    end: end.subarray(-MAX_END).toString('utf8'),
    ...(before && { fed: await before }),
  }
}
