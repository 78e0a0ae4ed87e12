import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { switchUp } from '#tests/support/lab/index.ts'

interface Seen {
  order?: 'passed' | 'limited'
  failed?: string
  suggested?: string
  done?: string
  ready?: true
}

/** A front of pebble that sees, and can refuse, what the authority is asked. */
export class AcmeFront {
  readonly directory_url: string
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>
  #seen: Seen[] = []
  #last = 0
  #waiting: ((seen: Seen) => void) | undefined

  private constructor(child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>, listen: string) {
    this.#child = child
    this.directory_url = `https://${listen}/dir`
  }

  /** After `startAcme`. */
  static async start(): Promise<AcmeFront> {
    const { netns, address, folder } = await switchUp()
    const listen = `${address}:14001`
    const file = (name: string) => join(folder, 'acme', name)
    const files = ['ca.pem', 'directory.pem', 'directory.key'].map(file)
    const program = join(import.meta.dir, 'front-program.ts')
    const argv = ['ip', 'netns', 'exec', netns, process.execPath, program, listen]
    const child = Bun.spawn([...argv, `https://${address}:14000`, ...files], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const front = new AcmeFront(child, listen)
    const ready = front.#next()
    void front.#read()
    await ready
    return front
  }

  async #read(): Promise<void> {
    const input = Readable.fromWeb(this.#child.stdout as never)
    for await (const line of createInterface({ input })) {
      const seen = JSON.parse(line) as Seen
      this.#last = Date.now()
      if (seen.done || seen.ready) this.#waiting?.(seen)
      else this.#seen.push(seen)
    }
  }

  #next(): Promise<Seen> {
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  async #say(line: string): Promise<void> {
    const done = this.#next()
    this.#child.stdin.write(`${line}\n`)
    await this.#child.stdin.flush()
    await done
  }

  /** Orders are refused with this Retry-After; without one they pass. */
  limit = (retry_after?: string) => this.#say(`limit ${retry_after ?? ''}`.trim())
  /** When the present certificate should be renewed (RFC 9773); without times it suggests none. */
  suggest = (...times: [] | [from: number, to: number]) =>
    this.#say(['suggest', ...times.map((time) => new Date(time).toISOString())].join(' '))
  /** Nobody listens. */
  down = () => this.#say('down')
  up = () => this.#say('up')

  /** What it saw since the last call: orders, names whose validation failed, and questions. */
  take(): { orders: string[]; failed: string[]; suggested: string[] } {
    const seen = this.#seen
    this.#seen = []
    return {
      orders: seen.flatMap(({ order }) => order ?? []),
      failed: seen.flatMap(({ failed }) => failed ?? []),
      suggested: seen.flatMap(({ suggested }) => suggested ?? []),
    }
  }

  get quiet_ms(): number {
    return Date.now() - this.#last
  }

  async stop(): Promise<void> {
    this.#child.stdin.end()
    await this.#child.exited
  }
}
