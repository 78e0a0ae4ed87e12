import { lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import process from 'node:process'
import type { TenantSite } from '#agent/kernel/host/scanner-port.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { processIds, threadIds } from './effective-ids.ts'

export interface Identity {
  name: string
  uid: number
  gid: number
}

/** The first id of a person: login.defs(5), UID_MIN. */
const FIRST_UID = 1000
const MAX_LINKS = 16
const NOBODY: Identity = { name: 'nobody', uid: 65534, gid: 65534 }

/**
 * Switches to an identity with the rights of an ordinary user only. Real and saved user id stay
 * root's, so that the next switch is possible; capabilities(7): a process whose effective user is
 * not root has no effective capability. Without root nothing changes.
 */
export function switchIdentity({ uid, gid }: Pick<Identity, 'uid' | 'gid'>): void {
  if (process.getuid?.() !== 0) return
  if (uid === 0 || gid === 0) throw new Error('a scan is never made as root')
  ids.user(0)
  ids.group(gid)
  ids.user(uid)
  // A process that keeps privileges must not continue.
  if (process.geteuid?.() !== uid || process.getegid?.() !== gid) process.exit(70)
}

export const switchToNobody = () => switchIdentity(NOBODY)

let ids = processIds

/** Switches this thread to nobody until the end; the other threads are nobody's already. */
export function dropToNobody(): void {
  switchToNobody()
  ids = threadIds() ?? processIds
}

/** Returns the user that reads a site: see `ownerOf` for a discovered site. */
export function identityOf(site: TenantSite): Identity {
  const users = usersOfMachine()
  const ordinary = (name: string | undefined) =>
    users.find((user) => user.name === name && isOrdinary(user))
  if (site.user !== undefined) return ordinary(site.user) ?? NOBODY
  const owner = users.find(({ uid }) => uid === ownerOf(site.docroot))
  const [found] = [owner, ordinary(site.php_user), ordinary('www-data')].filter(
    (user) => user !== undefined && isOrdinary(user),
  )
  return found ?? NOBODY
}

/** Returns the name of the owner of a docroot; empty where it cannot be found. */
export function ownerName({ docroot }: TenantSite): string {
  const uid = ownerOf(docroot)
  return usersOfMachine().find((user) => user.uid === uid)?.name ?? ''
}

function isOrdinary({ name, uid, gid }: Identity): boolean {
  if (name === 'www-data') return uid > 0 && gid > 0
  return uid >= FIRST_UID && uid !== NOBODY.uid && gid > 0
}

/**
 * Returns the owner of the first folder of the path that does not belong to root: that user
 * controls everything below, also by links, so its rights are used. Undefined when it is not
 * visible.
 */
export function ownerOf(path: string, links = MAX_LINKS): number | undefined {
  let at = ''
  const parts = path.split('/').filter((part) => part !== '')
  for (const [index, part] of parts.entries()) {
    at = `${at}/${part}`
    const found = undefinedIfThrows(() => lstatSync(at))
    if (found?.uid !== 0) return found?.uid
    if (!found.isSymbolicLink()) continue
    const target = undefinedIfThrows(() => readlinkSync(at))
    if (target === undefined || links === 0) return undefined
    const rest = parts.slice(index + 1).join('/')
    return ownerOf(`${resolve(dirname(at), target)}/${rest}`, links - 1)
  }
  return 0
}

const PASSWD = '/etc/passwd'
let known: { state: string; users: Identity[] } = { state: '', users: [] }

/** Lists the users, read again after a change of the file: there may be thousands. */
function usersOfMachine(): Identity[] {
  const found = undefinedIfThrows(() => statSync(PASSWD))
  const state = found ? `${found.ino} ${found.size} ${found.ctimeMs}` : ''
  if (state === '' || state !== known.state) known = { state, users: usersIn(PASSWD) }
  return known.users
}

function usersIn(path: string): Identity[] {
  const lines = undefinedIfThrows(() => readFileSync(path, 'utf8')) ?? ''
  return lines.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':')
    return /^\d+$/.test(uid) && /^\d+$/.test(gid)
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : []
  })
}
