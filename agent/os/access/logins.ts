import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { listSites, type Site } from '#agent/os/site/sites.ts'
import { parseJson } from '#shared/parse.ts'
import { MOST_LOGINS, SiteLogin } from '#shared/site-access.ts'
import { loginOf } from './clients.ts'
import { gateOf } from './gate.ts'
import { DROP_IN } from './places.ts'

const SINCE = '-2days'
const ACCEPTED_OR_CLOSED =
  '^(Accepted (publickey|password) for |pam_unix\\(sshd:session\\): session closed for user )'
const LIMIT_MS = 20_000
const BY_KEY =
  /^Accepted publickey for (\S+) from (\S+) port \d+ ssh2: \S+ (SHA256:[A-Za-z0-9+/]{43})$/
const CLOSED = /^pam_unix\(sshd:session\): session closed for user (\S+)$/
const BY_PASSWORD = /^Accepted password for (\S+) from (\S+) port \d+ ssh2$/

const Entry = z.object({
  __REALTIME_TIMESTAMP: z.string().regex(/^\d{1,17}$/),
  MESSAGE: z.string().max(1000),
  /** The process of sshd that checks the login, and waits for its end. */
  _PID: z.string().regex(/^\d{1,10}$/),
})
type Entry = z.infer<typeof Entry>

/**
 * The newest logins to sites of the last two days, oldest first, from the journal. A message counts
 * by fields that journald adds itself: no site can write one as a program of root.
 */
export async function listLogins(host: Host): Promise<SiteLogin[]> {
  if (host.init !== 'systemd' || !(await host.files.stat(DROP_IN))) return []
  const sites = await listSites(host)
  const domains = new Map(
    sites.flatMap(({ user, domain }) => [
      [user, { domain, kind: 'sftp' }],
      [gateOf(user), { domain, kind: 'shell' }],
    ]),
  )
  const entries = await readEntries(host)
  const logins = entries.flatMap((entry, place) => {
    const text = entry.MESSAGE
    const [, user = '', address, fingerprint] = BY_KEY.exec(text) ?? []
    const account = domains.get(user)
    const found = account ? { ...account, address, fingerprint } : byPassword(sites, text)
    const ended_at = endOf(entry, entries.slice(place + 1))
    const login = SiteLogin.safeParse({ ...found, at: timeOf(entry), ended_at })
    return login.success ? [login.data] : []
  })
  return logins.slice(-MOST_LOGINS)
}

/** Also of an account that was removed since. */
function byPassword(sites: readonly Site[], text: string) {
  const [, login = '', address] = BY_PASSWORD.exec(text) ?? []
  const token = login.split('.').at(-1) ?? ''
  const site = sites.find(({ user }) => loginOf(user, token) === login)
  return site && { domain: site.domain, address, fingerprint: '', client: token }
}

const timeOf = ({ __REALTIME_TIMESTAMP: micros }: Entry): string =>
  new Date(Math.floor(Number(micros) / 1000)).toISOString()

/** The next end of the same process. */
function endOf({ _PID }: Entry, later: readonly Entry[]): string | null {
  const next = later.find((one) => one._PID === _PID)
  return next && CLOSED.test(next.MESSAGE) ? timeOf(next) : null
}

const microsOf = ({ __REALTIME_TIMESTAMP: micros }: Entry): number => Number(micros)

/** The oldest first; with both a pattern and a number of lines, journalctl has the newest first. */
async function readEntries({ shell }: Host): Promise<Entry[]> {
  // A login and its end.
  const shape = ['--quiet', '--no-pager', '--output=json', `--lines=${2 * MOST_LOGINS}`]
  const which = [`--since=${SINCE}`, `--grep=${ACCEPTED_OR_CLOSED}`]
  const fields = `--output-fields=${Object.keys(Entry.shape).join(',')}`
  const trusted = ['_UID=0', '_COMM=sshd', '_COMM=sshd-session']
  const argv = ['journalctl', ...shape, ...which, fields, ...trusted]
  // Without a matching line it ends with 1.
  const { stdout } = await shell.try(argv, { timeout_ms: LIMIT_MS })
  const entries = stdout.split('\n').flatMap((line) => parseJson(Entry, line) ?? [])
  return entries.toSorted((one, other) => microsOf(one) - microsOf(other))
}
