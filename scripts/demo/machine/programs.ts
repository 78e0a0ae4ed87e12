import type { Output, RunOptions } from '#agent/host/ports.ts'
import { done } from '#agent/host/simulated/programs/output.ts'
import {
  PROGRAMS as BASE,
  type Program,
  programOf,
} from '#agent/host/simulated/programs/programs.ts'
import { selfSignedBy } from './authority.ts'
import type { Machine } from './machine.ts'
import { agent } from './programs/agent.ts'
import { aptConfig, aptGet } from './programs/apt.ts'
import { client, dump } from './programs/database.ts'
import { du } from './programs/files.ts'
import { jobJournal } from './programs/jobs.ts'
import { journalctl } from './programs/journal.ts'
import { nginx, ss } from './programs/nginx.ts'
import { php } from './programs/php.ts'
import { systemctl } from './programs/services.ts'
import { groupadd, sftp, ssh, sshd, sshKeygen } from './programs/sshd.ts'

/** The effects of programs on a machine; others do nothing. */
const PROGRAMS: Record<string, Program<Machine, Output | Promise<Output>>> = {
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

/** In milliseconds: at a pace of 1 as on an average machine. */
export function durationOf(argv: readonly string[], pace: number): number {
  const line = `${[programOf(argv), ...argv.slice(1)].join(' ')} `
  if (SLOW.test(line)) return SLOW_MS
  return pace * (DURATIONS_MS.find(([call]) => call.test(line))?.[1] ?? 20)
}
