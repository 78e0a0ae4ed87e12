import { DUMP } from '#agent/features/backups/manifest.ts'
import { bytesOfRestic } from '#agent/features/backups/restic/run.ts'
import { SITE } from '#agent/features/backups/save.ts'
import type { ByteSource } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type DownloadRequest, MEDIA } from '#shared/backups/backup-read.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import { findNode } from './browse.ts'
import { type OpenedBackup, readingBackup, SESSIONS } from './open-backup.ts'

const HOURS_12 = 12 * 60 * 60_000

/** Lets one download run at a time: it has the network and the processor of all sites. */
export class Downloads {
  readonly #host: Host
  #isBusy = false

  constructor(host: Host) {
    this.#host = host
  }

  /** Returns when the first bytes are there. Throws conflict while another one runs. */
  async start(request: DownloadRequest): Promise<ByteSource> {
    if (this.#isBusy) {
      throw conflict('Another download of a backup is running on this server: try again later')
    }
    this.#isBusy = true
    const { programs, random } = this.#host
    const operation = `download-${random.name(12)}`
    const items = partsOf(this.#host, request, operation)
    const end = async () => {
      await programs.signal(operation, 'SIGKILL')
      await items.return().catch(() => undefined)
      await programs.forget(operation)
      this.#isBusy = false
    }
    const next = async () => {
      const item = await items.next().catch(async (error: unknown) => {
        await end()
        throw error
      })
      if (item.done) await end()
      return item.value || undefined
    }
    const first = await next()
    if (first instanceof Uint8Array || !first) throw new Error('The download has no type')
    return { type: first.type, next: async () => bytesIn(await next()), end }
  }
}

type DownloadItem = { type: string } | Uint8Array

const bytesIn = (item: DownloadItem | undefined) => (item instanceof Uint8Array ? item : undefined)

/** Returns the type as soon as restic has sent something, and then all bytes. */
const partsOf = (
  host: Host,
  request: DownloadRequest,
  operation: string,
): AsyncGenerator<DownloadItem, void> =>
  readingBackup(host, SESSIONS.download, request, async function* (backup) {
    const { type, args } = await contentOf(host, backup, request)
    const chunks = bytesOfRestic(host, backup.opened, args, { timeout_ms: HOURS_12, operation })
    const first = await chunks.next()
    yield { type }
    if (!first.done) yield first.value
    yield* chunks
  })

async function contentOf(
  host: Host,
  { opened, manifest }: OpenedBackup,
  { part, path, archive }: DownloadRequest,
): Promise<{ type: string; args: string[] }> {
  if (part === 'database') {
    if (!manifest.database) throw conflict('The backup has no database')
    return { type: MEDIA.sql, args: ['dump', manifest.database.snapshot, `/${DUMP}`] }
  }
  const { snapshot } = manifest.files
  const node = await findNode(host, opened, snapshot, path)
  if (!node) throw notFound(path || 'Files')
  const from = [`${snapshot}:${SITE}`, node.path]
  if (node.type === 'file') return { type: MEDIA.file, args: ['dump', ...from] }
  if (node.type !== 'dir') throw conflict(`${path} is neither a file nor a folder`)
  return { type: MEDIA[archive], args: ['dump', '--archive', archive, ...from] }
}
