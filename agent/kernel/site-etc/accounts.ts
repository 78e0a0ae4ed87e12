import { type Change, removed } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { formOf, onUnits } from '#agent/kernel/services/index.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'
import { ACCOUNT_FILES, accountsOf } from './paths.ts'

const MAX_BYTES = 64 << 20
/** The first number of a person; smaller ones are system accounts: login.defs(5). */
const FIRST_PERSON = 1000
/** The number of `nobody` and `nogroup`. */
const NOBODY = 65534

type AccountTexts = Record<(typeof ACCOUNT_FILES)[number], string>

/**
 * Returns lines of passwd(5) and group(5) for one site: the system accounts, and the user and
 * groups of the site, without members that are not in the list.
 */
export function visibleAccounts({ passwd, group }: AccountTexts, user: string): AccountTexts {
  const all = fieldsOf(passwd, 7)
  const foreign = all.filter(
    ([name, , , , , home]) => name !== user && home?.startsWith(`${HOMES}/`),
  )
  const closedGroups = new Set(foreign.map(([, , , gid]) => gid))
  const closed = new Set(foreign.map(([name]) => name))
  const accounts = all.filter(
    ([name, , uid]) => name === user || (isSystem(uid) && !closed.has(name)),
  )
  const names = new Set(accounts.map(([name]) => name))
  const groups = fieldsOf(group, 4).flatMap(([name, password, gid, list = '']) => {
    const members = list.split(',')
    const isOwn = name === user || members.includes(user)
    if (!isOwn && (!isSystem(gid) || closedGroups.has(gid))) return []
    const known = members.filter((member) => names.has(member))
    return [[name, password, gid, known.join(',')]]
  })
  return { passwd: textOf(accounts), group: textOf(groups) }
}

/** Returns the names of the users of /etc/passwd. */
export async function readAccountNames({ files }: Host): Promise<ReadonlySet<string>> {
  const fields = fieldsOf((await files.read('/etc/passwd', MAX_BYTES)) ?? '', 7)
  return new Set(fields.map(([name = '']) => name))
}

/** Writes the accounts that a site sees. */
export const writeAccounts = onUnits(async (host, ...users: string[]): Promise<void> => {
  const [passwd = '', group = ''] = await Promise.all(
    ACCOUNT_FILES.map((name) => host.files.read(`/etc/${name}`, MAX_BYTES)),
  )
  const all = { passwd, group }
  for (const user of users) {
    await host.files.mkdir(accountsOf(user), { mode: 0o755 })
    for (const [name, text] of Object.entries(visibleAccounts(all, user))) {
      const path = `${accountsOf(user)}/${name}`
      if ((await host.files.read(path)) !== text) await host.files.write(path, text)
    }
  }
}, undefined)

/** Returns the folder of the accounts that a site sees; none where it sees those of the server. */
export const accountFolders = (host: Host, user: string): string[] =>
  formOf(host, { systemd: [accountsOf(user)], direct: [] })

export const removeAccounts = (host: Host, user: string): Change =>
  removed(host, 'folder', accountsOf(user))

/** Returns the fields of each complete line. */
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
