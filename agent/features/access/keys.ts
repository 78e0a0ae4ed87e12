import { createHash } from 'node:crypto'
import type { AccessGrant } from '#shared/access/site-access.ts'
import { GATE_PROGRAM } from './gate.ts'

/** `SHA256:` and base64 without padding, as ssh-keygen(1) prints it. */
export function fingerprintOf(blob: string): string {
  const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64')
  return `SHA256:${digest.replace(/=+$/, '')}`
}

/** As they are reported: without the keys themselves. */
export const grantsOf = (grants: readonly AccessGrant[]) =>
  grants.map(({ id, kind, expires_at, keys }) => ({
    ...{ id, kind, expires_at },
    fingerprints: keys.map((key) => fingerprintOf(key.split(' ')[1] ?? '')),
  }))

/** authorized_keys(5). `restrict` also forbids what later versions of sshd add. */
export const renderKeys = (grants: readonly AccessGrant[]): string => linesOf(grants, 'restrict')

/**
 * Of the people with a shell, who may have a terminal. The command holds also where a running sshd
 * has not read its configuration again.
 */
export const renderGateKeys = (grants: readonly AccessGrant[]): string =>
  linesOf(
    grants.filter(({ kind }) => kind === 'shell'),
    `restrict,pty,command="${GATE_PROGRAM}"`,
  )

function linesOf(grants: readonly AccessGrant[], options: string): string {
  const lines = grants.flatMap(({ keys, person, expires_at }) => {
    const until = expires_at === null ? '' : `,expiry-time="${compact(expires_at)}"`
    return keys.map((key) => `${options}${until} ${key} ${person}`)
  })
  return `${lines.join('\n')}\n`
}

/** `20270131180000Z` */
const compact = (time: string) =>
  new Date(time)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
