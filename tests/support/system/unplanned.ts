import { ETC_FILES } from '#agent/kernel/site-etc/names.ts'
import { SHARED_ETC } from '#agent/kernel/site-etc/paths.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { Host } from '#tests/support/lab/index.ts'
import { deviations, differences, type Things } from '#tests/support/plan/deviations.ts'
import type { World } from './world.ts'

const ROOTS = ['/etc', '/srv', '/var/lib', '/var/spool', '/var/cache', '/var/log', '/usr/local']
const IN_RUN = ['/run/hosting-fpm', '/run/hosting-objects', '/run/hosting-purge']
/** Changed by themselves, listed otherwise (databases), or by programs. */
const PRUNED = [
  ...['/srv/mirror', '/srv/www/*/tmp/*', '/srv/www/*/logs/*', '/srv/www/*/sessions/*'],
  ...['/var/lib/hosting-agent/operations', '/var/lib/hosting-agent/usage.json'],
  '/var/lib/hosting-agent/numbers.json',
  '/var/lib/hosting-agent/maintenance.json',
  '/var/lib/hosting-agent/logins.json',
  '/var/lib/hosting-agent/certificate-orders.json',
  ...['/var/lib/hosting-etc/new/*', ...ETC_FILES.map((name) => `${SHARED_ETC}/${name}`)],
  ...['/var/lib/mysql', '/var/lib/dpkg'],
  ...['/run/hosting-objects/*', '/run/hosting-purge/*'],
  ...['/var/lib/systemd', '/var/lib/logrotate', '/var/cache/debconf'],
  ...['/var/cache/ldconfig', '/var/log/journal', '/var/log/hosting/*/*', '/var/log/[!h]*'],
]
const ACCOUNTS = /^\/etc\/(\.pwd\.lock|(passwd|group|shadow|gshadow|subuid|subgid)-?)$/
/** A record that the agent writes at this moment, such as its last measurement. */
const DRAFT = /^\/var\/lib\/hosting-agent\/\.[0-9a-f]{12}\.tmp$/
/** Few files, so they are read: elsewhere size and time show a change. */
const READ = ['/etc', '/usr/local', '/var/lib/hosting-agent', '/run/hosting-fpm']
const KINDS: Record<string, string> = { f: 'file', d: 'folder', l: 'link', s: 'socket', p: 'file' }
const SERVICE = /^(hosting-fpm@\S+|nginx|mariadb|cron|php\S+)\.service$/
const PID_FILES: Record<string, string> = {
  'nginx.service': '/run/nginx.pid',
  'mariadb.service': '/run/mysqld/mysqld.pid',
  'cron.service': '/run/crond.pid',
}

const SCHEMAS = `SELECT CONCAT('database ', schema_name), '' FROM information_schema.schemata
UNION SELECT CONCAT('account ', account.user, '@', account.host), CONCAT(
  JSON_REMOVE(priv, '$.password_last_changed', '$.version_id'), ' ', IFNULL(create_view_priv, '-'))
FROM mysql.global_priv account LEFT JOIN mysql.db rights
  ON rights.user = account.user AND rights.host = account.host AND rights.db = account.user`
const OPTIONS = `SELECT CONCAT(table_schema, ' ', table_name) FROM information_schema.tables
WHERE table_name LIKE '%\\_options'`

/** The things of a plan on a host; `pages` adds those cached by nginx. */
async function thingsOf(host: Host, { pages = false } = {}): Promise<Things> {
  const things = new Map<string, string>()
  await files(host, things, pages ? [] : ['/var/cache/hosting/*/*'])
  await accounts(host, things)
  for (const unit of await services(host)) things.set(`service ${unit}`, '')
  const packages = await linesOf(host, ['dpkg-query', '--show'])
  for (const line of packages) things.set(`package ${line.split(/[:\t]/)[0]}`, line)
  await databases(host, things)
  return things
}

async function files(host: Host, things: Map<string, string>, more: string[]): Promise<void> {
  const prune = [...PRUNED, ...more].flatMap((path) => ['-path', path, '-prune', '-o'])
  const format = '%y\t%p\t%l\t%s %T@\t%m %U %G\\0'
  const argv = ['find', ...ROOTS, ...IN_RUN, ...prune, '-printf', format]
  const { stdout } = await host.exec(argv)
  const digests = await digestsOf(host)
  // A site may put a line end in a file name.
  for (const line of stdout.split('\0').filter(Boolean)) {
    const [type = '', path = '', target, size, mode] = line.split('\t')
    if (ACCOUNTS.test(path) || DRAFT.test(path)) continue
    const content = { f: `${digests.get(path) ?? size} ${mode}`, l: target }[type] ?? ''
    things.set(`${KINDS[type] ?? type} ${path}`, content)
  }
}

async function digestsOf(host: Host): Promise<Map<string, string>> {
  const prune = ['-path', '/var/lib/hosting-agent/cache', '-prune', '-o']
  const argv = [
    'find',
    ...READ,
    ...prune,
    '-type',
    'f',
    '-size',
    '-8M',
    '-exec',
    'sha1sum',
    '{}',
    '+',
  ]
  const lines = await linesOf(host, argv)
  return new Map(lines.map((line) => [line.slice(42), line.slice(0, 40)]))
}

async function accounts(host: Host, things: Map<string, string>): Promise<void> {
  for (const [kind, names] of [
    ['user', ['passwd', 'shadow', 'subuid']],
    ['group', ['group', 'gshadow']],
  ] as const) {
    for (const name of names) {
      for (const line of await linesOf(host, ['cat', `/etc/${name}`])) {
        const key = `${kind} ${line.split(':')[0]}`
        things.set(key, `${things.get(key) ?? ''}\n${line}`)
      }
    }
  }
}

async function services(host: Host): Promise<string[]> {
  const argv = ['systemctl', 'list-units', '--type=service', '--state=running', '--plain']
  const listed = await linesOf(host, [...argv, '--no-legend'])
  const units = listed.map((line) => line.split(' ')[0] ?? '').filter((unit) => SERVICE.test(unit))
  if (units.length > 0) return units
  const pools = await linesOf(host, ['find', '/run/hosting-fpm', '-name', '*.pid'])
  const all = [
    ...Object.entries(PID_FILES),
    ...pools.map((path) => [`hosting-fpm@${path.slice(17, -4)}.service`, path] as const),
  ]
  const running: string[] = []
  for (const [unit, path] of all) {
    const argv = ['sh', '-c', 'kill -0 "$(cat "$0")"', path]
    if ((await host.exec(argv)).code === 0) running.push(unit)
  }
  return running
}

async function databases(host: Host, things: Map<string, string>): Promise<void> {
  const ask = (input: string) => linesOf(host, ['mariadb', '--batch', '--skip-column-names'], input)
  for (const line of await ask(SCHEMAS)) {
    const [thing = '', content = ''] = line.split('\t')
    things.set(thing, content)
  }
  for (const line of await ask(OPTIONS)) {
    const [schema = '', table] = line.split(' ')
    const where = "WHERE option_name IN ('siteurl', 'home')"
    const urls = await ask(`SELECT option_value FROM \`${schema}\`.\`${table}\` ${where}`)
    things.set(`database ${schema}`, `${table} ${urls.join(' ')}`)
  }
}

async function linesOf(host: Host, argv: string[], input?: string): Promise<string[]> {
  const { stdout } = await host.exec(argv, input === undefined ? {} : { input })
  return stdout.split('\n').filter(Boolean)
}

interface Asked {
  method: string
  /** Below the server. */
  path: string
  body?: Record<string, unknown>
}

interface Options {
  /** Selects the things to compare. */
  only?: (thing: string) => boolean
  pages?: boolean
}

/** Package lists, which Debian's apt-daily.timer refreshes at any time. */
const APT = / \/var\/(cache|lib)\/apt(\/|$)/
const withoutApt = (things: Things) => new Map([...things].filter(([thing]) => !APT.test(thing)))

/**
 * Requests the plan of a call, runs the call with `act`, and returns where the machine and the journal
 * differ from the plan, and what the request of the plan itself changed.
 */
export async function unplanned(
  world: Pick<World, 'host' | 'dashboard' | 'path'>,
  asked: Asked,
  act: (planned: Record<string, unknown>) => Promise<void>,
  { only = (thing) => !APT.test(thing), pages = false }: Options = {},
): Promise<string[]> {
  const look = () => thingsOf(world.host, { pages })
  const before = await look()

  const body = { ...asked.body, dry_run: true }
  const planned = await world.dashboard.call(asked.method, world.path(asked.path), body)

  if (planned.status !== 200) throw new Error(`${planned.status} ${JSON.stringify(planned.body)}`)
  const changed = differences(withoutApt(before), withoutApt(await look()))
  const plan = planned.body.plan as Plan
  await act(planned.body)
  const compared = (things: Things) => new Map([...things].filter(([thing]) => only(thing)))
  const ran = await journal(world.host)
  const steps = plan.steps.map(({ name }) => name)
  return [
    ...changed.map(({ action, kind, name }) => `by the plan itself: ${action} ${kind} ${name}`),
    ...deviations(plan, compared(before), compared(await look())),
    ...(Bun.deepEquals(ran, steps) ? [] : [`ran ${ran}, planned ${steps}`]),
  ]
}

/** The steps of the newest operation. */
async function journal(host: World['host']): Promise<string[]> {
  const folder = '/var/lib/hosting-agent/operations'
  const [newest] = (await host.must(['ls', '-t', folder])).split('\n')
  const { stdout } = await host.exec(['cat', `${folder}/${newest}/journal.ndjson`])
  const entries = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
  return entries.filter(({ state }) => state === 'intent').map(({ step }) => step)
}
