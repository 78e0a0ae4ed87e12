import { createHash } from 'node:crypto'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { done, failed, lastOf } from './output.ts'

type DiskMachine = { disk: Disk }

const PASSWD = '/etc/passwd'
const GROUP = '/etc/group'
const SHADOW = '/etc/shadow'

export function useradd(machine: DiskMachine, argv: readonly string[]): Output {
  const user = lastOf(argv)
  const comment = argv[argv.indexOf('--comment') + 1] ?? ''
  if (textAt(machine, PASSWD).includes(`\n${user}:`))
    return failed(`useradd: user '${user}' already exists`, 9)
  if (argv.includes('--no-user-group')) return addAccount(machine, user, argv)
  addUser(machine, { user, comment, system: argv.includes('--system') })
  return done()
}

/** Adds an account without a group of its own, with the numbers of another account or free ones. */
function addAccount(machine: DiskMachine, user: string, argv: readonly string[]): Output {
  const of = (option: string) => optionOf(argv, option)
  const uid = of('--uid') || freeId(machine, argv.includes('--system'))
  const ids = `${uid}:${groupId(machine, of('--gid'))}`
  const line = `${user}:x:${ids}:${of('--comment')}:${of('--home-dir')}:${of('--shell')}\n`
  machine.disk.add(PASSWD, line)
  machine.disk.add(SHADOW, `${shadowLine(user)}\n`)
  for (const path of [PASSWD, SHADOW]) machine.disk.sync(path)
  const group = of('--groups')
  return group === '' ? done() : gpasswd(machine, ['gpasswd', '--add', user, group])
}

const optionOf = (argv: readonly string[], option: string): string =>
  argv.includes(option) ? (argv[argv.indexOf(option) + 1] ?? '') : ''

/** Returns the number of a group; useradd(8) takes a number, too. */
const groupId = (machine: DiskMachine, name: string): string =>
  new RegExp(`^${RegExp.escape(name)}:x:(\\d+):`, 'm').exec(textAt(machine, GROUP))?.[1] ?? name

/** Reads lines of names and passwords, or hashes with `--encrypted`. */
export function chpasswd(
  machine: DiskMachine,
  argv: readonly string[],
  { input = '' }: RunOptions,
): Output {
  for (const line of input.split('\n').filter(Boolean)) {
    const [user = '', given = ''] = line.split(':')
    setPassword(machine, user, () => (argv.includes('--encrypted') ? given : shadowHash(given)))
  }
  return done()
}

/** Returns the stored form of a password. */
export const shadowHash = (password: string): string =>
  `$6$simulated$${createHash('sha512').update(password).digest('base64url')}`

function setPassword(machine: DiskMachine, user: string, change: (hash: string) => string): void {
  const entry = new RegExp(`^(${RegExp.escape(user)}:)([^:]*)`, 'm')
  const changed = (_: string, start: string, hash: string) => start + change(hash)
  replace(machine, SHADOW, textAt(machine, SHADOW).replace(entry, changed))
}

/** Removes the user, but keeps its group if it has members. */
export function userdel(machine: DiskMachine, argv: readonly string[]): Output {
  const user = lastOf(argv)
  const groups = [...textAt(machine, GROUP).matchAll(/^([^:]+):x:\d+:(.+)$/gm)]
  for (const [, group = '', members = ''] of groups)
    if (members.split(',').includes(user)) gpasswd(machine, ['gpasswd', '--delete', user, group])
  for (const path of [PASSWD, SHADOW]) removeLine(machine, path, user)
  if (!new RegExp(`^${user}:x:\\d+:.`, 'm').test(textAt(machine, GROUP)))
    removeLine(machine, GROUP, user)
  return done()
}

export function groupdel(machine: DiskMachine, argv: readonly string[]): Output {
  removeLine(machine, GROUP, lastOf(argv))
  return done()
}

/** `gpasswd --add <user> <group>`, or `--delete` */
export function gpasswd(machine: DiskMachine, argv: readonly string[]): Output {
  const [user = '', group = ''] = argv.slice(-2)
  const member = new RegExp(`^(${group}:x:\\d+:)(.*)$`, 'm')
  const changed = (_: string, start: string, members: string) => {
    const others = members.split(',').filter((name) => name !== '' && name !== user)
    return start + (argv.includes('--add') ? [...others, user] : others).join(',')
  }
  replace(machine, GROUP, textAt(machine, GROUP).replace(member, changed))
  return done()
}

/**
 * Runs `usermod --expiredate <date> <user>` (an empty date is none), `--comment <comment>`,
 * `--lock` and `--unlock`.
 */
export function usermod(machine: DiskMachine, argv: readonly string[]): Output {
  const [, option, date = ''] = argv
  const user = lastOf(argv)
  if (option === '--comment') {
    const entry = new RegExp(`^(${user}(?::[^:]*){3}:)[^:]*`, 'm')
    replace(machine, PASSWD, textAt(machine, PASSWD).replace(entry, `$1${date}`))
    return done()
  }
  if (option === '--lock' || option === '--unlock') {
    setPassword(machine, user, (hash) => (option === '--lock' ? '!' : '') + hash.replace(/^!/, ''))
    return done()
  }
  const line = new RegExp(`^(${RegExp.escape(user)}(?::[^:]*){6}:)[^:]*`, 'm')
  replace(machine, SHADOW, textAt(machine, SHADOW).replace(line, `$1${daysOf(date)}`))
  return done()
}

/** Converts a date to days since 1970: shadow(5). */
const daysOf = (date: string): string =>
  date.includes('-') ? String(Date.parse(date) / 86_400_000) : date

const shadowLine = (user: string) => `${user}:!:::::::`

interface NewUser {
  user: string
  comment: string
  /** A member of the user's group, which has the same name. */
  member?: string
  system?: boolean
}

export function addUser(
  machine: DiskMachine,
  { user, comment, member = '', system }: NewUser,
): void {
  const { disk } = machine
  const id = freeId(machine, system)
  disk.add(PASSWD, `${user}:x:${id}:${id}:${comment}:/srv/www/${user}:\n`)
  disk.add(GROUP, `${user}:x:${id}:${member}\n`)
  disk.add(SHADOW, `${shadowLine(user)}\n`)
  for (const path of [PASSWD, GROUP, SHADOW]) disk.sync(path)
}

function freeId(machine: DiskMachine, system = false): number {
  const ids = [...textAt(machine, PASSWD).matchAll(/^[^:]+:x:(\d+):/gm)].map(([, id]) => Number(id))
  return system
    ? Math.min(1000, ...ids.filter((known) => known >= 100)) - 1
    : Math.max(1000, ...ids.filter((known) => known < 60_000)) + 1
}

function removeLine(machine: DiskMachine, path: string, name: string): void {
  const text = textAt(machine, path)
  const lines = text.split('\n').filter((line) => !line.startsWith(`${name}:`))
  if (lines.join('\n') !== text) replace(machine, path, lines.join('\n'))
}

function replace({ disk }: DiskMachine, path: string, text: string): void {
  disk.putText(path, text)
  disk.sync(path)
}

const textAt = ({ disk }: DiskMachine, path: string) => disk.text(path) ?? ''
