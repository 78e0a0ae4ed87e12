import type { ByteSource } from '#agent/kernel/calls/reading.ts'
import { databaseSize } from '#agent/kernel/database/dump.ts'
import { dumpBytes } from '#agent/kernel/database/dump-bytes.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import type { ExportProgress } from '#shared/database/site-database.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { readTables } from './tables.ts'

const HOURS_2 = 2 * 60 * 60_000

/** Lets one export run at a time: meanwhile MariaDB keeps all former rows. */
export class Exports {
  readonly #host: Host
  #running: (ExportProgress & { domain: string }) | undefined

  constructor(host: Host) {
    this.#host = host
  }

  /** Returns the progress of the running export of a site; null without one. */
  progress(domain: string): ExportProgress | null {
    if (this.#running?.domain !== domain) return null
    const { bytes, total } = this.#running
    return { bytes, total }
  }

  /** Throws not_found for an unknown site, and conflict without a database or beside another export. */
  async start(domain: string): Promise<ByteSource> {
    const host = this.#host
    const site = await getSite(host, domain)
    if (this.#running) {
      throw conflict('Another export of a database is running on this server: try again later')
    }
    const running = { domain, bytes: 0, total: 0 }
    this.#running = running
    const operation = `export-${host.random.name(12)}`
    const end = async () => {
      await host.programs.signal(operation, 'SIGKILL')
      await host.programs.forget(operation)
      this.#running = undefined
    }
    try {
      if ((await databaseSize(host, site.user)) === undefined)
        throw conflict(`${domain} has no database`)
      running.total = await bytesOf(host, site)
      const dump = dumpBytes(host, site.user, { operation, timeout_ms: HOURS_2 })
      const chunks = gzipped(countBytes(dump, running))
      const first = await chunks.next()
      return { type: 'application/gzip', ...readerOf(first, chunks, end) }
    } catch (error) {
      await end()
      throw error
    }
  }
}

type Chunks = AsyncGenerator<Uint8Array, void>

/** Estimates the size of a dump by that of the rows; 0 when unknown. */
async function bytesOf(host: Host, site: Site): Promise<number> {
  const read = await readTables(host, site).catch(() => undefined)
  return read?.tables.data_bytes ?? 0
}

async function* countBytes(dump: Chunks, running: ExportProgress): Chunks {
  for await (const chunk of dump) {
    running.bytes += chunk.length
    yield chunk
  }
}

/** Returns the chunks; the first one was read already, so that early errors have an own status. */
function readerOf(
  first: IteratorResult<Uint8Array, void>,
  chunks: Chunks,
  end: () => Promise<void>,
): Pick<ByteSource, 'next' | 'end'> {
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

/** Fails with the error of the dump, so that the packed bytes never look complete. */
async function* gzipped(dump: Chunks): Chunks {
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
