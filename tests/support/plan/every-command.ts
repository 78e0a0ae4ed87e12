import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { mailApply } from '#agent/features/mail/mail.apply.ts'
import { writeVerdict } from '#agent/features/updates/upgrade/upgrade.ts'
import { applyAccount } from '#agent/kernel/database/mariadb.ts'
import type { BackupParts } from '#shared/backups/backup-parts.ts'
import { COMMANDS, type CommandName, type ParamsOf } from '#shared/commands.ts'
import type { Switch } from '#shared/moves/moving.ts'
import {
  restorable,
  SAVING,
  savedSite,
  backupServer as storing,
  TARGET,
} from '#tests/support/agent/backup.ts'
import { canaryHost, verdicts } from '#tests/support/agent/canary-host.ts'
import * as cloning from '#tests/support/agent/cloning.ts'
import { contextOf, debian, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { type Case, EVERYDAY, MORE } from '#tests/support/agent/everyday.ts'
import { onStart, succeeded, withJournal } from '#tests/support/agent/job-journal.ts'
import {
  answering,
  emptyServer,
  forwardingServer,
  paramsFor,
  receivingServer,
  switched,
} from '#tests/support/agent/moving.ts'
import { pair } from '#tests/support/agent/pair.ts'
import { provableSite } from '#tests/support/agent/proof.ts'
import { renamable, renameParams } from '#tests/support/agent/renaming.ts'
import { copy } from '#tests/support/agent/staging.ts'
import * as upgrading from '#tests/support/agent/upgrading.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { selfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { carryOut } from './carry-out.ts'
import { lifelike } from './fake-things.ts'

const { domain, email } = shop
const WORDPRESS = '/var/lib/hosting-agent/cache/wordpress'

/** Debian with its packages, where WordPress and wp-cli can be had, and which answers for its site. */
export async function machine(): Promise<FakeHost> {
  const host = lifelike(debian())
  const { wordpress_url, wp_cli_url } = host.settings
  const kept = { version: '7.1.1', digest: '0'.repeat(40), at: host.time }
  await host.disk.write(`${WORDPRESS}/7.1.1/index.php`, '')
  await host.disk.write(`${WORDPRESS}/latest.json`, JSON.stringify(kept))
  await host.disk.mkdir('/etc/apt/apt.conf.d')
  host.pages.set(`${wordpress_url}/latest.tar.gz.sha1`, kept.digest)
  host.pages.set(wp_cli_url, 'phar')
  host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
  host.pages.set(`https://${domain}/`, 'front page')
  host.answer('openssl req', selfSignedPem)
  host.answer('apt-cache pkgnames', 'php8.2-fpm\nphp8.4-fpm\n')
  return host
}

const parsed = <N extends CommandName>(command: N, params: object) =>
  COMMANDS[command].params.parse(params) as ParamsOf<N>

const done = (host: FakeHost, command: CommandName, params: object) =>
  carryOut(host, command, parsed(command, params))

type Tls = 'none' | 'self-signed'

export async function withSite(tls: Tls = 'none'): Promise<FakeHost> {
  const host = await machine()
  await done(host, 'site.create', { ...shop, tls })
  await host.disk.write('/var/cache/hosting/shop/page', '')
  host.answer('openssl req', `${selfSignedPem}\n`)
  return host
}

async function trashed(tls: Tls = 'none'): Promise<FakeHost> {
  const host = await withSite(tls)
  await done(host, 'site.delete', { domain })
  return host
}

async function bare(): Promise<FakeHost> {
  const host = await machine()
  for (const path of ['/var/lib/dpkg/status', '/run/nginx.pid', '/run/mysqld/mysqld.pid'])
    await host.disk.remove(path)
  await host.disk.write('/etc/php/8.2/fpm/pool.d/www.conf', '')
  return host
}

async function stale(): Promise<FakeHost> {
  const host = await machine()
  host.time += 2 * 3_600_000
  return host
}

const certified = () => withSite('self-signed')
const purging = { domain, confirm: domain, trashed_days: 0 }
const issuing = { domain, tls: 'self-signed', email }

/** On a machine that also shows what its packages and programs change. */
const LIFELIKE = [
  ['server.provision', {}, bare],
  ['server.provision', {}, machine],
  ['site.create', shop, machine],
  ['site.create', { ...shop, tls: 'self-signed' }, machine],
  ['site.create', shop, bare],
  ['site.create', shop, stale],
  ['site.update', { domain, tier: 'medium' }, withSite],
  ['site.update', { domain, php: '8.4' }, withSite],
  ['site.update', { domain, tier: 'small' }, withSite],
  ['pool.apply', { user: 'shop', php_version: '8.2', tier: 'large' }, withSite],
  ['tls.issue', issuing, withSite],
  ['tls.issue', issuing, certified],
  ['tls.issue', { ...issuing, tls: 'none' }, certified],
  ['tls.issue', { ...issuing, tls: 'none' }, withSite],
  ['cache.purge', { domain }, withSite],
  ['wp.cache-flush', { domain }, withSite],
  ['service.restart', { service: 'php-fpm:shop' }, withSite],
  ['server.update', { scope: 'security', restart_database: false }, withSite],
  ['updates.configure', { unattended: true }, machine],
  ['site.delete', { domain }, certified],
  ['site.restore', { domain }, trashed],
  ['site.restore', { domain }, () => trashed('self-signed')],
  ['site.purge', purging, () => trashed('self-signed')],
] as const

type Prepared = { host: FakeHost; params: object }

/** Of a backup of which a file and a table are restored. */
async function partly() {
  const { host, params } = await restorable()
  const parts: BackupParts = { files: true, database: true, paths: ['index.html'], tables: ['x'] }
  return { host, params: { ...params, parts } }
}

async function restored(prepare: () => ReturnType<typeof partly> = restorable): Promise<Prepared> {
  const { host, params } = await prepare()
  await outcome(backupRestore.run(params, contextOf(host)))
  return { host, params: { domain } }
}

async function gathering(): Promise<Prepared> {
  const { host, restore } = await savedSite({})
  const { parts: _, backup: __, domain: ___, ...from } = restore({ files: true, database: true })
  return { host, params: { domain, from } }
}

/** Each on a machine of its own, and with the params that fit it. */
const PREPARED: Partial<Record<CommandName, () => Promise<Prepared>>> = {
  'agent.upgrade': async () => {
    const host = upgrading.machine()
    const { run } = host.shell
    host.shell.run = async (argv, options) => {
      // The new version answers.
      if (argv[0] === 'systemd-run') await writeVerdict(host, upgrading.sha256, 'answers')
      return run(argv, options)
    }
    return { host, params: upgrading.params }
  },
  'backup.check': async () => ({ host: await storing(), params: { target: TARGET } }),
  'backup.create': async () => ({ host: (await restorable()).host, params: SAVING }),
  'backup.prove': provableSite,
  'backup.restore': restorable,
  'backup.undo': () => restored(),
  'isolation.check': async () => ({ host: await canaryHost(verdicts(), verdicts()), params: {} }),
  'site.catch-up': async () => {
    const { host, catchUp: params } = await receivingServer()
    return { host, params }
  },
  'site.clone': async () => ({ host: await cloning.siteServer(), params: cloning.fromSite }),
  'site.compare': async () => ({
    host: (await pair()).host,
    params: { domain, from: copy.domain },
  }),
  'site.create': async () => {
    const host = await server()
    host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
    return { host, params: shop }
  },
  'site.gather': gathering,
  'site.push': async () => ({
    host: (await pair()).host,
    params: { domain, from: copy.domain, files: true, tables: ['wp_posts'], overwrite: [] },
  }),
  'site.receive': emptyServer,
  'site.refresh': async () => ({
    host: (await pair()).host,
    params: { domain: copy.domain, from: { kind: 'site', domain } },
  }),
  'site.rename': async () => ({ host: await renamable(), params: renameParams() }),
  'site.rename-preview': async () => ({
    host: await renamable(),
    params: { domain, primary: 'new.example' },
  }),
  'database.maintain': async () => {
    const host = await server(shop)
    const table = ['table', Buffer.from('a').toString('hex'), 'InnoDB', 1, 2 ** 20, 0, 0].join('\t')
    const ok = ['table\t0', 'shop.a\tcheck\tstatus\tOK'].join('\n')
    const list = [table, 'total\t1\t0\t0\t0', 'end', ''].join('\n')
    const attempt = host.shell.try
    host.shell.try = async (argv, given) => {
      const output = await attempt(argv, given)
      if (argv[0] !== 'mariadb') return output
      return { ...output, stdout: given?.input?.includes('CHECK TABLE') ? ok : list }
    }
    return { host, params: { domain, action: 'check' } }
  },
  'mail.check': async () => {
    const host = await server(shop)
    const relay = { host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'agency' }
    const rules = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
    const setting = parsed('mail.apply', { ...rules, relay: { ...relay, password: 'password' } })
    await outcome(mailApply.run(setting, contextOf(host)))
    const answer = JSON.stringify({ taken: true, answer: '250 2.0.0 Ok' })
    host.answer('/usr/local/bin/hosting-agent mail-try', `${answer}\n`)
    return { host, params: { domain, to: 'anna@example.org' } }
  },
  'site.job-run': async () => {
    const unit = 'hosting-job@shop:nightly.service'
    const { host, journal } = await withJournal()
    let runs = 0
    onStart(host, unit, () => {
      runs += 1
      const past = journal.reports[unit] ?? []
      journal.reports[unit] = [...past, ...succeeded(`run ${runs}`, 100 * runs)]
    })
    return { host, params: { domain, name: 'nightly' } }
  },
  'wp.scan': async () => ({ host: await server(shop), params: { domain } }),
}

/** Others of these commands. */
const VARIANTS: Record<string, () => Promise<Prepared>> = {
  'backup.restore (of a file and a table)': partly,
  'backup.undo (of a file and a table)': () => restored(partly),
  'site.clone (of a backup)': cloning.backupServer,
}

async function switchedTo(...states: Switch[]): Promise<FakeHost> {
  const host = answering(await server(shop))
  await switched(host, ...states)
  return host
}
const parted = () => switchedTo('leaving', 'frozen', 'parted')

/** The states of a move that a record alone decides. */
const SWITCHES: readonly (readonly [Switch, () => Promise<FakeHost>])[] = [
  ['leaving', () => switchedTo()],
  ['returning', parted],
  ['arriving', parted],
  ['arrived', async () => (await receivingServer()).host],
  ['settled', () => switchedTo('leaving')],
]

/** A copy that only forwards takes over the settings that its site has on the other server. */
async function following(): Promise<Awaited<ReturnType<EveryCase['prepare']>>> {
  const { host, copy, back } = await forwardingServer({ tier: 'large' })
  await applyAccount(host, copy).apply()
  return { host, params: back }
}

/** A check of the isolation leaves programs. */
const CONTINUED: readonly CommandName[] = ['agent.upgrade', 'isolation.check']

const VISIBLE: readonly CommandName[] = [
  'database.maintain',
  'mail.check',
  'site.compare',
  'site.job-run',
  'wp.scan',
]

/** A command, and a machine on which it can run with these params. */
export interface EveryCase {
  title: string
  command: CommandName
  /** False: the simulated machine does not show what its programs change (restic, tar, wp-cli). */
  isVisible: boolean
  /** False: an interruption leaves a prepared server, or the next process of the agent continues. */
  isUndone: boolean
  /** The paths that an interrupted run keeps for its repetition. */
  leaves?: RegExp
  prepare(): Promise<{ host: FakeHost; params: ParamsOf<CommandName> }>
}

/** What has been brought of a copy: it serves nobody, and the next run completes it. */
const BROUGHT = /^\/srv\/www\/\.restore\/[^/]+\//

/** By the title of a case: files that an interrupted run leaves, and that change no later run. */
const LEAVES: Record<string, RegExp> = {
  'backup.undo (of a file and a table)': /\/previous\/chosen\.sql$/,
  'site.catch-up': BROUGHT,
  'site.compare': /\/compare-[^/]+$/,
}

/** The others prepare the server, or get a certificate of another name. */
const UNDONE_ON_LIFELIKE = /^(cache|service|site\.(delete|restore|purge)|wp)/

const named = ({ title, command, params, make }: Case): EveryCase => ({
  title: `${command} (${title})`,
  command,
  isVisible: command !== 'wp.cache-flush',
  isUndone: true,
  prepare: async () => ({ host: await make(), params }),
})

/** All commands, each at least once. */
export const EVERY: readonly EveryCase[] = [
  ...Object.entries(VARIANTS).map(([title, prepare]) => {
    const command = title.slice(0, title.indexOf(' ')) as CommandName
    const leaves = LEAVES[title]
    return { title, command, isVisible: false, isUndone: true, leaves, prepare } as EveryCase
  }),
  ...LIFELIKE.map(([command, params, make]) => {
    const title = `${JSON.stringify(params)} ${make.name}`
    const each = named({ title, command, params: parsed(command, params), make })
    return { ...each, isUndone: UNDONE_ON_LIFELIKE.test(command) }
  }),
  ...EVERYDAY.map(named),
  ...MORE.map((each) => ({ ...named(each), isUndone: false })),
  ...SWITCHES.map(([state, make]) => ({
    ...named({ title: state, command: 'site.switch', params: paramsFor(state), make }),
    isVisible: false,
  })),
  {
    title: 'site.catch-up (of a copy that only forwards)',
    command: 'site.catch-up',
    isVisible: false,
    isUndone: true,
    leaves: new RegExp(`${BROUGHT.source}|/former$`),
    prepare: following,
  },
  ...Object.entries(PREPARED).map(([name, prepare]) => {
    // The keys of the table are names of commands.
    const command = name as CommandName
    return {
      title: command,
      command,
      isVisible: VISIBLE.includes(command),
      isUndone: !CONTINUED.includes(command),
      ...(LEAVES[command] && { leaves: LEAVES[command] }),
      prepare: prepare as EveryCase['prepare'],
    }
  }),
]

/** The cases whose undo leaves nothing at all. */
export const EVERYDAY_TITLES = new Set(EVERYDAY.map((each) => named(each).title))

/** Empty folders, caches, reports of copies, and what a storage and its passwords keep. */
const LEFT =
  /^\/mnt\/store|^\/srv\/www\/\.(incoming|restore\/[^/]+$|restore$|trash$)|\/cache\/|\/backups(\/(?!.*\/open\b)|$)|\/(proofs|canaries|clone\.json)$|\/baselines\/(?!.*\.next)/

/** The paths that differ after an interrupted run of the case. */
export const leftBy = ({ leaves }: EveryCase): RegExp =>
  leaves ? new RegExp(`${LEFT.source}|${leaves.source}`) : LEFT
