import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import { done, failed, lastOf, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import {
  PROGRAMS as BASE,
  programOf,
  type SimulatedProgram,
} from '#agent/kernel/host/simulated/programs/programs.ts'
import { processesOf, systemctl as start } from '#agent/kernel/host/simulated/programs/services.ts'
import type { PendingPackage } from '#shared/updates/maintenance.ts'
import { selfSignedBy } from './authority.ts'
import type { Machine } from './machine.ts'
import { agent } from './programs/agent.ts'
import { client, dump } from './programs/database.ts'
import { jobJournal, journalctl, runJob } from './programs/jobs.ts'
import { php } from './programs/php.ts'
import { groupadd, sftp, ssh, sshd, sshKeygen } from './programs/sshd.ts'

/** The effects of programs on a machine; others do nothing. */
const PROGRAMS: Record<string, SimulatedProgram<Machine, Output | Promise<Output>>> = {
  ...BASE,
  ...{ 'hosting-agent': agent, php, du, nginx, ss, systemctl },
  ...{ groupadd, sshd, sftp, ssh, 'ssh-keygen': sshKeygen },
  journalctl: (machine, argv) => jobJournal(machine, argv) ?? journalctl(machine, argv),
  ...{ mariadb: client, xargs: dump, openssl: selfSignedBy },
  ...{ 'apt-get': aptGet, 'apt-config': aptConfig },
}

/** How long a call takes on an average machine: the first match; otherwise 20 ms. */
const DURATIONS_MS: readonly [RegExp, number][] = [
  [/^cp -r /, 900],
  [/^apt-get .* --no-remove/, 6000],
  [/^systemctl start hosting-fpm@/, 350],
  [/^systemctl restart nginx/, 500],
  [/^systemctl restart /, 1400],
  [/^systemctl show |^nginx -[vT]|^ss /, 0],
  [/ core install /, 1600],
  [/ eval-file /, 350],
  [/ --test /, 80],
  [/^(hosting-agent|xargs) /, 900],
  [/^mariadb /, 550],
  [/^(rm|apt-get) /, 400],
  [/^userdel /, 180],
  [/^useradd /, 140],
  [/^(du|openssl) /, 90],
  [/^(find|sync) /, 75],
  [/^(groupdel|gpasswd|usermod|nginx|systemctl|journalctl) /, 60],
  [/^(start-stop-daemon|cp) /, 35],
  [/^apt-config /, 10],
]

/** Runs a program to its end. */
export function perform(
  machine: Machine,
  argv: readonly string[],
  options: RunOptions,
): Output | Promise<Output> {
  return PROGRAMS[programOf(argv)]?.(machine, argv, options) ?? done()
}

/** Creating a site with such a name takes a minute at any pace, to show a running operation. */
const SLOW = / core install --url=http:\/\/slow[.-]/
const SLOW_MS = 60_000

/** Returns the duration in milliseconds: at a pace of 1 as on an average machine. */
export function durationOf(argv: readonly string[], pace: number): number {
  const line = `${[programOf(argv), ...argv.slice(1)].join(' ')} `
  if (SLOW.test(line)) return SLOW_MS
  return pace * (DURATIONS_MS.find(([call]) => call.test(line))?.[1] ?? 20)
}

/** Runs simulated and real upgrades; missing packages come with the machine. */
function aptGet(machine: Machine, argv: readonly string[]): Output {
  const upgrades = upgradesIn(machine, argv)
  if (argv.includes('--simulate')) return printed(upgrades.map(installing).join('\n'))
  machine.pending = machine.pending.filter((one) => !upgrades.includes(one))
  return printed(
    upgrades.map(({ name, candidate }) => `Setting up ${name} (${candidate}) ...`).join('\n'),
  )
}

/** Prints the settings from the files of apt on the machine: the last of them has priority. */
function aptConfig({ disk }: Machine): Output {
  const text = disk.find('/etc/apt/apt.conf.d/60hosting-unattended-upgrades')
  return printed(`APT::Periodic::Unattended-Upgrade "${text ? 1 : 0}";\n`)
}

function upgradesIn({ pending }: Machine, argv: readonly string[]): PendingPackage[] {
  if (argv.includes('upgrade')) return pending
  if (!argv.includes('--only-upgrade')) return []
  const named = argv.slice(argv.indexOf('--') + 1)
  return pending.filter(({ name }) => named.includes(name))
}

function installing({ name, installed, candidate, security }: PendingPackage): string {
  const archive = security ? 'Debian-Security:13/stable-security' : 'Debian:13.1/stable'
  return `Inst ${name} [${installed}] (${candidate} ${archive} [amd64])`
}

const SERVICES = ['nginx.service', 'mariadb.service', 'cron.service']

/** Runs systemctl, and tracks units that have failed or were stopped manually. */
function systemctl(machine: Machine, argv: readonly string[]): Output {
  const [, verb = ''] = argv
  const unit = lastOf(argv)
  if (verb === 'show') return show(machine, argv)
  const output = start(machine, argv)
  if (output.code !== 0) return output
  if (['start', 'restart', 'stop', 'reset-failed'].includes(verb)) machine.failed.delete(unit)
  if (verb === 'start' || verb === 'restart') machine.stopped.delete(unit)
  if (verb === 'start') runJob(machine, unit)
  return output
}

/** Returns the requested properties of each unit: `--property=Names,ActiveState -- <unit>…` */
function show(machine: Machine, argv: readonly string[]): Output {
  const units = argv.slice(argv.indexOf('--') + 1)
  if (!argv.includes('--')) return done()
  const blocks = units.map((unit) => `Names=${unit}\nActiveState=${stateOf(machine, unit)}\n`)
  return printed(blocks.join('\n'))
}

function stateOf(machine: Machine, unit: string): string {
  if (machine.failed.has(unit)) return 'failed'
  if (machine.stopped.has(unit)) return 'inactive'
  if (unit.endsWith('.timer')) return 'active'
  if (!unit.startsWith('hosting-fpm@')) return SERVICES.includes(unit) ? 'active' : 'inactive'
  return machine.disk.find(processesOf(machine.disk, unit)) ? 'active' : 'inactive'
}

const VERSIONS = { 12: '1.22.1', 13: '1.26.3' }
const MAIN = '/etc/nginx/nginx.conf'
const FOLDERS = ['/etc/nginx/conf.d', '/etc/nginx/sites-enabled']

function nginx(machine: Machine, argv: readonly string[]): Output {
  if (argv.includes('-v')) return failed(`nginx version: nginx/${versionOf(machine)}`, 0)
  if (!argv.includes('-T')) return done()
  const paths = FOLDERS.flatMap((folder) =>
    machine.disk.names(folder).map((name) => `${folder}/${name}`),
  )
  const texts = [MAIN, ...paths].map(
    (path) => `# configuration file ${path}:\n${machine.disk.text(path) ?? ''}`,
  )
  return printed(texts.join('\n'))
}

export const versionOf = ({ plan }: Machine): string => VERSIONS[plan.debian]

/** Lists the listening programs, as ss(8) does. */
function ss(): Output {
  const line = (port: number) =>
    `LISTEN 0 511 0.0.0.0:${port} 0.0.0.0:* users:(("nginx",pid=11,fd=6))\n`
  return printed([80, 443].map(line).join(''))
}

/** Returns bytes or files in a user's folder, or bytes of a user's database. */
function du({ sizes, databases }: Machine, argv: readonly string[]): Output {
  const path = lastOf(argv)
  const [, name] = /^\/var\/lib\/mysql\/(.+)$/.exec(path) ?? []
  if (name !== undefined) return printed(`${databases.get(name)?.bytes ?? 0}\t${path}\n`)
  const [, user = ''] = /^\/srv\/www\/([^/]+)\//.exec(path) ?? []
  const bytes = sizes.get(user) ?? 64 * 2 ** 20
  return printed(`${argv.includes('--inodes') ? filesIn(bytes) : bytes}\ttotal\n`)
}

/** Returns as many files as a WordPress of that size has: its own, and uploads. */
export const filesIn = (bytes: number): number => 3200 + Math.round(bytes / 400_000)
