import { commands } from '#agent/commands.ts'
import { storePart } from '#agent/features/database/site/uploads.ts'
import { done, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { loginsOf } from '#agent/kernel/site/paths.ts'
import { getSite, writeSite } from '#agent/kernel/site/sites.ts'
import { COMMANDS, type CommandName, type ParamsOf } from '#shared/commands.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { shopPem, shopSelfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'
import { contextOf, listOfTables, outcome, shop } from './debian.ts'
import { machineOf } from './full-disk.ts'
import { hashOf, STAGING } from './staging.ts'
import { authority, serveTokens } from './tls-site.ts'
import { withSshd } from './with-sshd.ts'

type Work = readonly [command: CommandName, params?: object]

const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
const RELAY = { host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'agency' }
const grant = (id: number, kind: string) => ({
  ...{ id, person: `Person ${id}`, kind, expires_at: null, keys: [ANNA] },
})
const client = (token: string, letter: string) => ({
  ...{ token, label: token, expires_at: null, password_hash: `$2b$10$${letter.repeat(53)}` },
})
const job = (name: string, hour: number) => ({
  ...{ name, schedule: `0 ${hour} * * *`, command: 'wp cache flush' },
})

const names = (...aliases: string[]): Work => [
  'site.domains',
  { aliases, redirects: aliases.map((name) => ({ domain: `old.${name}` })) },
]
const limits = (php_settings: object | null): Work => ['site.configure', { php_settings }]
const LIMITS = limits({ execution_time: 90, values: { allow_url_fopen: 'off' } })
const protection = (given: object | null, page_purge: boolean): Work => [
  'site.configure',
  { basic_auth: given, maintenance: given && { allow: ['::1'], message: '' }, page_purge },
]
const PROTECTED = protection({ user: 'client', password_hash: hashOf('letmein') }, true)
const objects = (memory: number | null): Work => ['site.object-cache', { memory }]
const jobs = (...list: object[]): Work => ['site.jobs', { jobs: list }]
const JOBS = jobs(job('changed', 3), job('former', 3))
const debug = (until: string | null): Work => ['wp.debug', { until }]
const DEBUG = debug('2026-01-01T08:00:00Z')
const access = (grants: object[], clients: object[]): Work => ['site.access', { grants, clients }]
const PEOPLE = access([grant(1, 'shell')], [client('abcd2345', 'a')])
const tls = (mode: string): Work => ['tls.issue', { tls: mode, email: shop.email }]
const mail = (given: object | null, more: object = { domain: undefined }): Work => [
  'mail.apply',
  { ...RULES, relay: given && { ...RELAY, password: 'password' }, ...more },
]
const temporary = { rights: 'read', minutes: 10, account_hash: `*${'AB'.repeat(20)}` }
const user = (token: string): Work => ['database.user', { ...temporary, token }]
const pool = (tier: string): Work => [
  'pool.apply',
  { user: shop.user, php_version: shop.php, tier },
]
const password = (word: string): Work => ['staging.password', { password_hash: hashOf(word) }]
const LOGIN: Work = ['wp.login', { user_id: null, token_hash: 'ab'.repeat(32) }]
const uploads = ['a'.repeat(16), 'b'.repeat(16)] as const
const importOf = (upload: string): Work => [
  'database.import',
  { upload, part_count: 1, packed: false },
]
const IMPORT = importOf(uploads[0])
const NAME = `hosting_tmp_a1b2c3d4e5_${Date.UTC(2026, 0, 1) / 1000 + 600}`

/** The work of a case last; those before it make the machine. */
const CASES: Record<string, readonly Work[]> = {
  'more domains': [names('b.example', 'c.example'), names(), names('b.example')],
  'fewer domains': [names('b.example', 'c.example'), names('c.example')],
  'limits of PHP': [LIMITS, limits(null), LIMITS],
  'no limits of PHP': [LIMITS, limits(null)],
  'a protected site': [PROTECTED, protection(null, false), PROTECTED],
  'a public site': [PROTECTED, protection(null, false)],
  'an object cache': [objects(64), objects(null), objects(64)],
  'a smaller object cache': [objects(64), objects(32)],
  'no object cache': [objects(64), objects(null)],
  'other jobs': [JOBS, jobs(job('changed', 4), job('new', 5))],
  'no jobs': [JOBS, jobs()],
  'a debug log': [DEBUG, debug(null), DEBUG],
  'no debug log': [DEBUG, debug(null)],
  'a suspended site': [JOBS, objects(64), ['site.suspend']],
  'a site that is resumed': [JOBS, objects(64), ['site.suspend'], ['site.resume']],
  'a larger pool': [pool('medium')],
  'another password of a staging site': [password('former'), password('letmein')],
  'the access of others': [PEOPLE, access([grant(2, 'sftp')], [client('efgh2345', 'b')])],
  'no access': [PEOPLE, access([], [])],
  'a temporary user': [user('a1b2c3d4e5')],
  'no temporary user': [user('a1b2c3d4e5'), ['database.user-end', { user: NAME }]],
  Adminer: [['database.tool', { ...temporary, token: 'a1b2c3d4e5' }]],
  'an import': [IMPORT],
  'a certificate of its own': [tls('self-signed'), tls('none'), tls('self-signed')],
  'a certificate of an authority': [tls('letsencrypt'), tls('self-signed'), tls('letsencrypt')],
  'no certificate': [tls('self-signed'), tls('none')],
  'an empty page cache': [['cache.purge']],
  'a relay of the server': [mail(RELAY), mail(null), mail(RELAY)],
  'no relay of the server': [mail(RELAY), mail(null)],
  'a login': [LOGIN],
  'due events': [['wp.cron-run']],
  'a relay of the site': [mail(RELAY), mail(RELAY, { from_address: 'info@shop.example' })],
}

/** Whose undo leaves what other sites use. */
const MORE_CASES: Record<string, readonly Work[]> = {
  'the first domains': [names('b.example')],
  'the first limits of PHP': [LIMITS],
  'the first protection': [PROTECTED],
  'the first object cache': [objects(64)],
  'the first jobs': [JOBS],
  'the first debug log': [DEBUG],
  'the first access': [PEOPLE],
  'the first certificate of its own': [tls('self-signed')],
  'the first certificate of an authority': [tls('letsencrypt')],
  'the first relay': [mail(RELAY)],
  'a second import, with people': [PEOPLE, importOf(uploads[0]), importOf(uploads[1])],
}

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
  /\/tmp\/logins(\/|$)|certificate-orders\.json$|^\/srv\/www\/\.restore(\/shop)?$|\/uploads\/.*\/tried$|\/usual-packet$/
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
