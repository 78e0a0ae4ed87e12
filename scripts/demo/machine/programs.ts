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
import { journalctl } from './programs/journal.ts'
import { nginx } from './programs/nginx.ts'
import { php } from './programs/php.ts'
import { startStopDaemon, systemctl } from './programs/services.ts'
import { ss } from './programs/sockets.ts'

/** The effects of programs on a machine, and their duration; others do nothing. */
const PROGRAMS: Record<string, readonly [ms: number, Program<Machine, Output | Promise<Output>>]> =
  {
    'hosting-agent': [900, agent],
    php: [20, php],
    useradd: [140, BASE.useradd],
    userdel: [180, BASE.userdel],
    groupdel: [60, BASE.groupdel],
    gpasswd: [60, BASE.gpasswd],
    usermod: [60, BASE.usermod],
    cp: [30, BASE.cp],
    dd: [20, BASE.dd],
    head: [20, BASE.head],
    tail: [20, BASE.tail],
    test: [20, BASE.test],
    rm: [400, BASE.rm],
    du: [90, du],
    sync: [70, BASE.sync],
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
  return PROGRAMS[programOf(argv)]?.[1](machine, argv, options) ?? done()
}

/** Creating a site with such a name takes a minute at any pace, to show a running operation. */
const SLOW = / core install --url=http:\/\/slow[.-]/
const SLOW_MS = 60_000

/** In milliseconds: at a pace of 1 as on an average machine. */
export function durationOf(argv: readonly string[], pace: number): number {
  const line = `${argv.join(' ')} `
  if (SLOW.test(line)) return SLOW_MS
  const long = LONG.find(([start]) => start.test(line))
  return pace * (long?.[1] ?? PROGRAMS[programOf(argv)]?.[0] ?? 20)
}
