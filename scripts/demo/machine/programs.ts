import type { Output, RunOptions } from '#agent/host/ports.ts'
import { selfSignedBy } from './authority.ts'
import type { Machine } from './machine.ts'
import { agent } from './programs/agent.ts'
import { aptConfig, aptGet } from './programs/apt.ts'
import { client, dump } from './programs/database.ts'
import { copy, du, exists, read, remove, write } from './programs/files.ts'
import { journalctl } from './programs/journal.ts'
import { nginx } from './programs/nginx.ts'
import { done } from './programs/output.ts'
import { php } from './programs/php.ts'
import { startStopDaemon, systemctl } from './programs/services.ts'
import { ss } from './programs/sockets.ts'
import { gpasswd, groupdel, useradd, userdel } from './programs/users.ts'

type Program = (
  machine: Machine,
  argv: readonly string[],
  options: RunOptions,
) => Output | Promise<Output>

/** What programs do to a machine, and how long they take there; those not named do nothing. */
const PROGRAMS: Record<string, readonly [ms: number, Program]> = {
  '/usr/local/bin/hosting-agent': [900, agent],
  useradd: [140, useradd],
  userdel: [180, userdel],
  groupdel: [60, groupdel],
  gpasswd: [60, gpasswd],
  usermod: [60, done],
  cp: [30, copy],
  dd: [20, write],
  head: [20, read],
  tail: [20, read],
  test: [20, exists],
  rm: [400, remove],
  du: [90, du],
  sync: [70, done],
  nginx: [60, nginx],
  systemctl: [60, systemctl],
  'start-stop-daemon': [40, startStopDaemon],
  xargs: [900, dump],
  mariadb: [550, client],
  openssl: [90, selfSignedBy],
  find: [80, done],
  'apt-get': [400, aptGet],
  'apt-config': [10, aptConfig],
  journalctl: [60, journalctl],
  ss: [0, ss],
}
/** Where one call takes much longer than another of the same program. */
const LONG: readonly [RegExp, number][] = [
  [/^cp -r /, 900],
  [/^apt-get .* --no-remove/, 6000],
  [/^systemctl start hosting-fpm@/, 350],
  [/^systemctl restart nginx/, 500],
  [/^systemctl restart /, 1400],
  [/^systemctl show /, 0],
  [/^nginx -[vT]/, 0],
  [/ core install /, 1600],
  [/ eval-file /, 350],
  [/ --test /, 80],
]

/** Runs a program to its end. */
export function perform(
  machine: Machine,
  argv: readonly string[],
  options: RunOptions,
): Output | Promise<Output> {
  const [name = ''] = argv
  if (name.startsWith('/usr/bin/php')) return php(machine, argv, options)
  return PROGRAMS[name]?.[1](machine, argv, options) ?? done()
}

/** A new site of such a name takes a minute, at any pace: for what happens in the middle. */
const SLOW = / core install --url=http:\/\/slow[.-]/
const SLOW_MS = 60_000

/** In milliseconds: at a pace of 1 as on a machine that is neither fast nor slow. */
export function durationOf(argv: readonly string[], pace: number): number {
  const line = `${argv.join(' ')} `
  if (SLOW.test(line)) return SLOW_MS
  const long = LONG.find(([start]) => start.test(line))
  return pace * (long?.[1] ?? PROGRAMS[argv[0] ?? '']?.[0] ?? 20)
}
