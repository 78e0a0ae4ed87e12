import { commands } from '#agent/commands/index.ts'
import { done, printed } from '#agent/host/simulated/programs/output.ts'
import { loginsOf } from '#agent/os/site/paths.ts'
import { getSite, writeSite } from '#agent/os/site/sites.ts'
import { storePart } from '#agent/os/site-database/uploads.ts'
import { COMMANDS, type CommandName, type ParamsOf } from '#shared/commands.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { shopPem, shopSelfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { contextOf, listOfTables, outcome, shop } from './debian.ts'
import { CASES, MORE_CASES, uploads, type Work } from './everyday-cases.ts'
import { machineOf } from './full-disk.ts'
import { STAGING } from './staging.ts'
import { authority, serveTokens } from './tls-site.ts'
import { withSshd } from './with-sshd.ts'

/** A command on a site, and a machine on which it can run. */
export interface Case {
  title: string
  command: CommandName
  params: ParamsOf<CommandName>
  make(): Promise<FakeHost>
}

const { domain } = shop
const DUMP = 'CREATE TABLE a (b INT);\n-- Dump completed on 2026-01-01\n'
const ANSWERS: [part: string, printed: string][] = [
  [`'role' => 'administrator'`, JSON.stringify({ login: 'anna', url: `http://${domain}` })],
  ['cron event run', 'Success: Executed a total of 3 cron events.\n'],
]

/** With the programs and the answers that the commands need. */
async function ready(): Promise<FakeHost> {
  const host = await withSshd()
  host.answer('mariadb --no', listOfTables('a'))
  host.answer('tail', DUMP)
  host.answer('openssl req', shopSelfSignedPem)
  const attempt = host.shell.try
  host.shell.try = async (argv, given) => {
    const output = await attempt(argv, given)
    if (argv[0] !== 'mariadb' || !given?.input_from) return output
    const fed = { code: 0, stderr: '', bytes: DUMP.length, sha256: '', end: DUMP }
    return { ...output, fed }
  }
  const { php } = host.table
  host.table.php = (machine, argv, options) => {
    const text = `${argv.join(' ')}\n${options.input}`
    const [, stdout] = ANSWERS.find(([part]) => text.includes(part)) ?? []
    const [, login] = /file_put_contents\(\$folder \. '(\/[\da-f]{64})'/.exec(text) ?? []
    if (login !== undefined) machine.disk.putText(`${loginsOf(shop.user)}${login}`, '')
    return stdout === undefined ? (php?.(machine, argv, options) ?? done()) : printed(stdout)
  }
  authority(host, () => ({ chain: shopPem }))
  serveTokens(host, [domain, `www.${domain}`])
  for (const path of ['redis-check-rdb', 'git', 'composer', 'rsync'])
    host.disk.putText(`/usr/bin/${path}`, '')
  host.disk.putFolder('/srv/www/shop/public/wp-content')
  host.disk.putText('/usr/share/adminer/adminer.php', '<?php')
  host.disk.putText('/var/cache/hosting/shop/4/c4/page', '')
  host.pages.set(`https://${domain}/`, 'front page')
  for (const upload of uploads) await storePart(host, { domain, upload, part: 0, data: btoa(DUMP) })
  return host
}

const paramsFor = ([command, given]: Work) =>
  COMMANDS[command].params.parse({ domain, ...given }) as ParamsOf<CommandName>

const run = (host: FakeHost, work: Work) => perform(host, work[0], paramsFor(work))

/** The lines of a command, and its result or the message of its error. */
export async function perform(host: FakeHost, name: CommandName, params: object) {
  const command = await commands[name]()
  return outcome(command.run(params as never, contextOf(host)))
}

async function madeBy(works: readonly Work[]): Promise<FakeHost> {
  const host = await ready()
  const staging = { ...STAGING, of: 'live.example' }
  if (works.some(([command]) => command === 'staging.password'))
    await writeSite(host, { ...(await getSite(host, domain)), staging })
  for (const work of works) {
    const [, result] = await run(host, work)
    if (typeof result === 'string') throw new Error(`${work[0]}: ${result}`)
  }
  return host
}

const casesOf = (cases: Record<string, readonly Work[]>): Case[] =>
  Object.entries(cases).flatMap(([title, works]) => {
    const last = works.at(-1)
    if (!last) return []
    const make = () => madeBy(works.slice(0, -1))
    return [{ title, command: last[0], params: paramsFor(last), make }]
  })

export const EVERYDAY = casesOf(CASES)
export const MORE = casesOf(MORE_CASES)

/** Files of every import, order and login, a failed one included. */
const KEPT =
  /\/tmp\/logins(\/|$)|certificate-orders\.json$|^\/srv\/www\/\.restore(\/shop)?$|\/uploads\/.*\/tried$/
const ACCOUNTS = /^\/etc\/(passwd|group|shadow)$/
const RANDOM = /\/(privkey|account)\.pem$/

/** The machine, and what its MariaDB knows: temporary users by their tokens. */
export async function stateOf(host: FakeHost, pending = /^$/) {
  const users = await host.database.admin('list_temporary_accounts')
  const files = Object.entries(machineOf(host)).filter(
    ([path]) => !KEPT.test(path) && !pending.test(path),
  )
  return {
    files: Object.fromEntries(files.map(([path, text]) => [path, comparable(path, text)])),
    accounts: Object.fromEntries(host.mariadb.accounts),
    databases: [...host.databases.keys()],
    users: users.map(({ user, ...rest }) => ({ ...rest, token: String(user).split('_')[2] })),
  }
}

/** An account that was made again is the last one. */
function comparable(path: string, text: string | null): string | null {
  if (RANDOM.test(path)) return 'random'
  return ACCOUNTS.test(path) ? (text?.split('\n').sort().join('\n') ?? null) : text
}
