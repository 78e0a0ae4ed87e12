import { chmod, rename, stat } from 'node:fs/promises'
import net, { type Server } from 'node:net'
import type { MailPlaces } from '#agent/kernel/mail/places.ts'
import { accept } from './accept.ts'
import type { MailLog } from './log.ts'
import type { SiteQueue } from './site-queue.ts'

/** Connections of one site at once; more wait in the kernel's queue. */
const MAX_CONNECTIONS = 8
/** Messages of all sites that are stored at once: each takes memory. */
const MAX_TURNS = 8

export interface MailSocket {
  /** Whether its file is still the one that this process made. */
  exists(): Promise<boolean>
  close(): void
}

/**
 * Listens for one site. One rename replaces the socket of an earlier process, and the socket stays
 * when this one ends: a site retries at a socket, and takes a missing one for "no relay".
 */
export async function openSocket(
  places: MailPlaces,
  user: string,
  queue: SiteQueue,
  deps: { now: () => number; taken: () => void; log: MailLog },
): Promise<MailSocket> {
  const path = places.socket(user)
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    void accept(socket, queue, { ...deps, turn }).then(deps.taken)
  })
  server.maxConnections = MAX_CONNECTIONS
  await listen(server, `${path}.new`)
  // Only that site can enter the folder.
  await chmod(`${path}.new`, 0o666)
  await rename(`${path}.new`, path)
  const { ino } = await stat(path)
  return {
    exists: async () => (await stat(path).catch(() => undefined))?.ino === ino,
    close: () => server.close(),
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => resolve())
  })
}

let turns = 0
const lined: (() => void)[] = []

async function turn<T>(work: () => Promise<T>): Promise<T> {
  if (turns >= MAX_TURNS) await new Promise<void>((resolve) => lined.push(resolve))
  turns += 1
  try {
    return await work()
  } finally {
    turns -= 1
    lined.shift()?.()
  }
}
