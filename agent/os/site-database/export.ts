import type { Host } from '#agent/host/ports.ts'
import { databaseSize } from '#agent/os/database/dump.ts'
import { dumpBytes } from '#agent/os/database/dump-bytes.ts'
import { getSite } from '#agent/os/site/sites.ts'
import { conflict } from '#shared/errors.ts'

const HOURS_2 = 2 * 60 * 60_000
/** The database of a site on its way. */
interface Export {
  type: string
  /** Undefined at the end; throws where the rest is missing. */
  next(): Promise<Uint8Array | undefined>
  /** Called when the reader has left. */
  end(): Promise<void>
}

/**
 * Lets one export run at a time: until its end MariaDB keeps the former rows of all tables, however slow
 * the reader is.
 */
export class Exports {
  readonly #host: Host
  #isBusy = false

  constructor(host: Host) {
    this.#host = host
  }

  /** Throws not_found for an unknown site, and conflict without a database or beside another export. */
  async start(domain: string): Promise<Export> {
    const host = this.#host
    const { user } = await getSite(host, domain)
    if (this.#isBusy) {
      throw conflict('Another export of a database is running on this server: try again later')
    }
    this.#isBusy = true
    const operation = `export-${host.random.name(12)}`
    const end = async () => {
      await host.programs.signal(operation, 'SIGKILL')
      await host.programs.forget(operation)
      this.#isBusy = false
    }
    try {
      if ((await databaseSize(host, user)) === undefined)
        throw conflict(`${domain} has no database`)
      const chunks = packed(dumpBytes(host, user, { operation, timeout_ms: HOURS_2 }))
      const first = await chunks.next()
      return { type: 'application/gzip', ...readerOf(first, chunks, end) }
    } catch (error) {
      await end()
      throw error
    }
  }
}

type Chunks = AsyncGenerator<Uint8Array, void>

/** The first chunk was read already: an error before it has an ordinary status. */
function readerOf(
  first: IteratorResult<Uint8Array, void>,
  chunks: Chunks,
  end: () => Promise<void>,
): Pick<Export, 'next' | 'end'> {
  let waiting: IteratorResult<Uint8Array, void> | undefined = first
  const next = async () => {
    try {
      const { value, done } = waiting ?? (await chunks.next())
      waiting = undefined
      if (!done) return value
    } catch (error) {
      await end()
      throw error
    }
    await end()
    return undefined
  }
  return {
    next,
    async end() {
      await end()
      await chunks.return().catch(() => undefined)
    },
  }
}

/** An error of the dump is one of the packed bytes too: they never look complete. */
async function* packed(dump: Chunks): Chunks {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await dump.next()
        if (done) controller.close()
        else controller.enqueue(new Uint8Array(value))
      },
      cancel: async () => void (await dump.return()),
    },
    { highWaterMark: 0 },
  )
  yield* source.pipeThrough(new CompressionStream('gzip'))
}
