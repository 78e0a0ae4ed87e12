import { Buffer } from 'node:buffer'
import { readSync, writeSync } from 'node:fs'
import { DumpRewriter } from './dump.ts'
import { RewriteRequest } from './request.ts'

const [STDIN, STDOUT, STDERR] = [0, 1, 2]
const CHUNK = 1 << 20
const MAX_REQUEST = 1 << 20

/**
 * `hosting-agent rewrite [descriptor]`: reads a line with the request and then a dump from standard
 * input, writes the rewritten dump to standard output, and a line with the report to the descriptor
 * (standard error by default). Needs no rights but those of the site. Throws if the dump is cut off.
 */
export async function rewrite([descriptor = `${STDERR}`]: readonly string[]): Promise<void> {
  const input = new Input()
  const output = new Output()
  const request = RewriteRequest.parse(JSON.parse(input.line()))
  const write = (bytes: Uint8Array) => output.write(bytes)
  const rewriter = new DumpRewriter(request, request.output ? write : () => undefined)
  for (let chunk = input.chunk(); chunk.length > 0; chunk = input.chunk()) rewriter.push(chunk)
  try {
    const report = rewriter.end()
    writeAll(Number(descriptor), Buffer.from(`${JSON.stringify(report)}\n`))
  } finally {
    output.flush()
  }
}

/** Reads standard input by blocking reads of one chunk, however slow the output's reader is. */
class Input {
  readonly #memory = Buffer.allocUnsafe(CHUNK)
  #rest: Buffer = Buffer.alloc(0)

  /** Returns a chunk that is valid until the next call; empty at the end. */
  chunk(): Buffer {
    const rest = this.#rest
    this.#rest = rest.subarray(rest.length)
    if (rest.length > 0) return rest
    const length = retryWhileBusy(() => readSync(STDIN, this.#memory, 0, CHUNK, null))
    return this.#memory.subarray(0, length)
  }

  line(): string {
    let line = ''
    while (line.length < MAX_REQUEST) {
      const chunk = this.chunk()
      const end = chunk.indexOf('\n')
      if (chunk.length === 0) break
      line += chunk.toString('utf8', 0, end < 0 ? chunk.length : end)
      if (end < 0) continue
      this.#rest = chunk.subarray(end + 1)
      return line
    }
    throw new Error('The first line of the standard input must be the request')
  }
}

class Output {
  readonly #memory = Buffer.allocUnsafe(CHUNK)
  #length = 0

  write(bytes: Uint8Array): void {
    if (this.#length + bytes.length > CHUNK) this.flush()
    if (bytes.length > CHUNK) writeAll(STDOUT, bytes)
    else {
      this.#memory.set(bytes, this.#length)
      this.#length += bytes.length
    }
  }

  flush(): void {
    writeAll(STDOUT, this.#memory.subarray(0, this.#length))
    this.#length = 0
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    at += retryWhileBusy(() => writeSync(descriptor, bytes, at, bytes.length - at))
  }
}

const PAUSE_MS = 1
const pause = new Int32Array(new SharedArrayBuffer(4))

/** Waits for a pipe that another process made non-blocking, which reports EAGAIN. */
function retryWhileBusy(work: () => number): number {
  while (true) {
    try {
      return work()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(pause, 0, 0, PAUSE_MS)
    }
  }
}
