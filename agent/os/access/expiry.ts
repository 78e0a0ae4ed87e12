import type { Host } from '#agent/host/ports.ts'
import { listSites } from '#agent/os/site/sites.ts'
import { expireNow } from './clients.ts'
import { endSessions } from './sessions.ts'

/** sshd admits somebody in the second in which the key expires, and nobody after it. */
const LAST_MS = 1000

/**
 * sshd admits nobody with an expired key, and this ends what was open then. An account with a password
 * expires by itself only at the end of a day.
 */
export class ExpiryWatch {
  /** At the start of the agent, everything that expired before counts: it may have been off. */
  #since = 0

  async look(host: Host): Promise<void> {
    const now = host.clock.now()
    const isDue = ({ expires_at }: { expires_at: string | null }) => {
      const at = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) + LAST_MS
      return at > this.#since && at <= now
    }
    for (const { user, access = [], clients = [] } of await listSites(host)) {
      const due = clients.filter(isDue)
      for (const client of due) await expireNow(host, user, client)
      if (due.length > 0 || access.some(isDue)) await endSessions(host, user)
    }
    this.#since = now
  }
}
