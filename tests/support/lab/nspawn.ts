import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.ts'
import { polled } from './wait.ts'

export type Bind = { from: string; to: string; readonly?: boolean }

export type Init = 'systemd' | 'none'

/** Arguments of systemd-nspawn; `name` is unique on this machine, `hostname` in its network. */
export type Machine = {
  name: string
  hostname: string
  root: string
  console: string
  groups: readonly string[]
  init: Init
  binds: readonly Bind[]
}

export type Running = { nspawn: ChildProcess; leader: number }

/** Like real servers: cgroup v2 only, and /tmp on the disk. */
const SETTINGS = { SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1', SYSTEMD_NSPAWN_TMPFS_TMP: '0' }

/** As on a machine of its own: older versions of systemd-nspawn refuse them. */
const LANDLOCK = 'landlock_create_ruleset landlock_add_rule landlock_restrict_self'

/** Starts the machine; its process 1 exists when this returns. Throws the end of its console. */
export async function powerOn(machine: Machine): Promise<Running> {
  const log = openSync(machine.console, 'a')
  const join_groups = ['sh', join(import.meta.dirname, 'join-groups.sh'), ...machine.groups, '--']
  const [file = '', ...args] = [...join_groups, ...argvOf(machine)]
  const env = { ...process.env, ...SETTINGS }
  const nspawn = spawn(file, args, { env, stdio: ['ignore', log, log], detached: true })
  closeSync(log)
  const leader = await polled(async () => {
    if (nspawn.exitCode !== null) throw new Error(describeConsole(machine))
    return leaderOf(nspawn.pid, machine.init)
  })
  if (!leader) throw new Error(describeConsole(machine))
  return { nspawn, leader }
}

export const describeConsole = ({ hostname, console }: Machine) =>
  `${hostname} did not start:\n${readFileSync(console, 'utf8').slice(-3000)}`

function argvOf({ name, hostname, root, init, binds }: Machine): string[] {
  return [
    'systemd-nspawn',
    '--quiet',
    `--directory=${root}`,
    `--machine=${name}`,
    `--hostname=${hostname}`,
    `--network-namespace-path=/run/netns/${name}`,
    '--register=no',
    '--keep-unit',
    '--console=pipe',
    '--resolv-conf=off',
    '--timezone=off',
    '--capability=CAP_NET_ADMIN',
    `--system-call-filter=${LANDLOCK}`,
    '--link-journal=no',
    ...binds.map(({ from, to, readonly }) => `--bind${readonly ? '-ro' : ''}=${from}:${to}`),
    ...(init === 'systemd' ? ['--boot'] : ['--as-pid2', 'sleep', 'infinity']),
  ]
}

/** nspawn has helper children too; process 1 of the new namespace has the name of an init. */
async function leaderOf(nspawn: number | undefined, init: Init): Promise<number | undefined> {
  const comm = init === 'systemd' ? 'systemd' : '(sd-stubinit)'
  const { stdout } = await run(['pgrep', '--parent', `${nspawn}`])
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(Number)
    .find((pid) => isInit(pid, comm))
}

function isInit(pid: number, comm: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return status.startsWith(`Name:\t${comm}\n`) && /^NSpid:\t\d+\t1$/m.test(status)
  } catch {
    return false
  }
}
