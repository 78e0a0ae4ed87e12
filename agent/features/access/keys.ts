import { createHash } from 'node:crypto'
import type { AccessGrant } from '#shared/access/site-access.ts'
import { SHELL_CLIENT } from './shell-account.ts'

/** Formats a fingerprint as ssh-keygen(1) does: `SHA256:` and base64 without padding. */
export function fingerprintOf(blob: string): string {
  const digest = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64')
  return `SHA256:${digest.replace(/=+$/, '')}`
}

/** Returns the grants as they are reported, with fingerprints in place of keys. */
export const grantsOf = (grants: readonly AccessGrant[]) =>
  grants.map(({ id, kind, expires_at, keys }) => ({
    id,
    kind,
    expires_at,
    fingerprints: keys.map((key) => fingerprintOf(key.split(' ')[1] ?? '')),
  }))

/** Renders authorized_keys(5). `restrict` also forbids what later versions of sshd add. */
export const renderKeys = (grants: readonly AccessGrant[]): string => linesOf(grants, 'restrict')

/** Renders the keys of people with a shell, with a command for any configuration of sshd. */
export const renderShellKeys = (grants: readonly AccessGrant[]): string =>
  linesOf(
    grants.filter(({ kind }) => kind === 'shell'),
    `restrict,pty,command="${SHELL_CLIENT}"`,
  )

function linesOf(grants: readonly AccessGrant[], options: string): string {
  const lines = grants.flatMap(({ keys, person, expires_at }) => {
    const until = expires_at === null ? '' : `,expiry-time="${compactTime(expires_at)}"`
    return keys.map((key) => `${options}${until} ${key} ${person}`)
  })
  return `${lines.join('\n')}\n`
}

/** Formats a time as `20270131180000Z`. */
const compactTime = (time: string) =>
  new Date(time)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
