import type { Host } from '#agent/host/ports.ts'
import { type Change, removed } from '#agent/os/effects/change.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { HOMES } from '#agent/os/site/paths.ts'
import type { Effect } from '#shared/plan.ts'
import { ACCOUNT_FILES, accountsOf } from './places.ts'

const MOST = 64 << 20
/** Smaller numbers are system accounts: login.defs(5). */
const FIRST_PERSON = 1000
/** `nobody` and `nogroup`. */
const NOBODY = 65534

type Accounts = Record<(typeof ACCOUNT_FILES)[number], string>

/**
 * Lines of passwd(5) and group(5) for one site: the system accounts, and the user and groups of the
 * site, without members that are not in the list.
 */
export function visibleAccounts({ passwd, group }: Accounts, user: string): Accounts {
  const all = fieldsOf(passwd, 7)
  const foreign = all.filter(
    ([name, , , , , home]) => name !== user && home?.startsWith(`${HOMES}/`),
  )
  const closed = new Set(foreign.map(([name]) => name))
  const closedGroups = new Set(foreign.map(([, , , gid]) => gid))
  const people = all.filter(([name = '', , uid]) => {
    return name === user || (isSystem(uid) && !closed.has(name))
  })
  const names = new Set(people.map(([name]) => name))
  const groups = fieldsOf(group, 4).filter(([name, , gid, members = '']) => {
    if (name === user || members.split(',').includes(user)) return true
    return isSystem(gid) && !closedGroups.has(gid)
  })
  const shown = groups.map(([name, password, gid, members = '']) => [
    ...[name, password, gid],
    members
      .split(',')
      .filter((member) => names.has(member))
      .join(','),
  ])
  return { passwd: textOf(people), group: textOf(shown) }
}

/** Writes the accounts that a site sees. */
export async function writeAccounts(host: Host, ...users: string[]): Promise<void> {
  if (host.init !== 'systemd') return
  const all = await accountsOn(host)
  for (const user of users) await writeVisible(host, user, visibleAccounts(all, user))
}

async function writeVisible(host: Host, user: string, visible: Accounts): Promise<void> {
  await host.files.mkdir(accountsOf(user), { mode: 0o755 })
  for (const name of ACCOUNT_FILES) {
    const path = `${accountsOf(user)}/${name}`
    if ((await host.files.read(path)) !== visible[name]) await host.files.write(path, visible[name])
  }
}

/** What `writeAccounts` does for a new user. */
export const planWriteAccounts = ({ init }: Host, user: string): Effect[] =>
  init === 'systemd' ? [effects.create('folder', accountsOf(user))] : []

export const removeAccounts = (host: Host, user: string): Change =>
  removed(host, 'folder', accountsOf(user))

async function accountsOn({ files }: Host): Promise<Accounts> {
  const [passwd = '', group = ''] = await Promise.all(
    ACCOUNT_FILES.map((name) => files.read(`/etc/${name}`, MOST)),
  )
  return { passwd, group }
}

/** Of whole lines alone. */
const fieldsOf = (text: string, count: number): string[][] =>
  text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length === count)

const textOf = (lines: readonly (readonly (string | undefined)[])[]): string =>
  lines.map((fields) => `${fields.join(':')}\n`).join('')

function isSystem(id = ''): boolean {
  const number = Number(id)
  return id !== '' && (number < FIRST_PERSON || number === NOBODY)
}
