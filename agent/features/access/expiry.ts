import type { Host } from '#agent/kernel/host/ports.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { endOf } from '#shared/access/site-access.ts'
import { expireNow } from './clients.ts'
import { endSessions } from './sessions.ts'

/** sshd admits somebody in the second in which the key expires, and nobody after it. */
const LAST_MS = 1000

interface Expiring {
  expires_at: string | null
}
const lastMomentOf = (grant: Expiring): number => endOf(grant) + LAST_MS

/** Ends the sessions of expired keys, and closes expired accounts before the day ends. */
export class ExpiryWatch {
  /** At the start of the agent, everything that expired before counts. */
  #since = 0

  async look(host: Host): Promise<void> {
    const now = host.clock.now()
    const isOver = (grant: Expiring) => lastMomentOf(grant) <= now
    const isDue = (grant: Expiring) => lastMomentOf(grant) > this.#since && isOver(grant)
    for (const { user, access = [], clients = [] } of await listSites(host)) {
      const over = clients.filter(isOver)
      const isClosed = over.length > 0 && (await expireNow(host, user, over))
      if (isClosed || access.some(isDue)) await endSessions(host, user)
    }
    this.#since = now
  }
}
