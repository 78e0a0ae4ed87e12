import { createHash } from 'node:crypto'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { type Build, listBuilds } from '#dashboard/kernel/agents/builds.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import type { Enrolment } from '#shared/servers/api/enrolment.ts'
import { type AddressRules, obstacleOf } from './addresses.ts'
import type { Keyring } from './keyring.ts'
import { putEnrolment } from './queries.ts'
import type { Sealer } from './seal.ts'
import { hubKeyOf } from './signing-key.ts'

export interface EnrolmentDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  keys: Keyring
  sealer: Sealer
  builds_dir: string | undefined
  rules: AddressRules
}

const CODE_BYTES = 16
const CODE_MS = 15 * 60_000
export const CODE_PURPOSE = 'enrolment-code'

/**
 * Makes a new code for a server, which replaces the previous one. Only its digest is stored,
 * sealed, because it is the key of the proof. `origin` is where the server reaches this dashboard.
 */
export async function openEnrolment(
  { db, clock, random, keys, sealer, builds_dir, rules }: EnrolmentDeps,
  server: ServerRow,
  { origin, user_id }: { origin: string; user_id: number },
): Promise<Omit<Enrolment, 'code'> & { code: Secret }> {
  const code = new Secret(randomText(random, CODE_BYTES))
  const code_key = createHash('sha256')
    .update(`hosting-code/1\n${code.reveal()}`)
    .digest('base64url')
  const expires_at = timestamp(clock, CODE_MS)
  const key = await keys.current()
  const code_key_sealed = sealer.seal(CODE_PURPOSE, new Secret(code_key))
  const { id: server_id, hostname, port, user } = server
  const opened = { type: 'server.enrol', domain: hostname, status: 'running', server_id } as const
  await putEnrolment(
    db,
    { server_id, code_key_sealed, expires_at, kid: key.kid },
    entryOf(clock, { ...opened, user_id }),
  )
  const hub_key = hubKeyOf(key)
  const parts = { public_url: origin, user, server_id, port, hub_key }
  const lines = (await listBuilds(builds_dir)).map((build) => {
    const { machine, sha256 } = build
    return { machine, sha256, line: installLine(build, parts) }
  })
  const obstacle = (await obstacleOf(hostname, rules)) ?? ''
  return { code, expires_at, hub_key, lines, obstacle }
}

interface InstallLineParts {
  /** The address of this dashboard for the server. */
  public_url: string
  /** The login user on the server: all but root need sudo. */
  user: string
  server_id: number
  port: number
  hub_key: string
}

const NEEDS_CURL =
  '{ command -v curl > /dev/null || { echo "curl is missing: install it with apt-get install curl" >&2; false; }; }'

/**
 * Returns one command to paste into a shell on the server. It contains the digest, which is not
 * downloaded with the program. The code is read afterwards from standard input. Throws conflict for
 * an address of the dashboard with shell characters.
 */
export function installLine({ machine, sha256 }: Build, parts: InstallLineParts): string {
  const { public_url, user, server_id, port, hub_key } = parts
  // It becomes part of a command that root runs, and may come from a Host header.
  if (!/^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._/-]*)?$/.test(public_url))
    throw conflict('Set PUBLIC_URL to the address at which servers reach this dashboard')
  const root = user === 'root' ? '' : 'sudo '
  const program = '/usr/local/bin/hosting-agent'
  return [
    NEEDS_CURL,
    'cd "$(mktemp -d)"',
    // Not through a pipe, which would hide a failed download and its reason.
    `curl -fsSL ${public_url}/agent/${machine}.gz -o hosting-agent.gz`,
    'gunzip hosting-agent.gz',
    `echo '${sha256}  hosting-agent' | sha256sum -c --quiet`,
    `${root}install -m 755 hosting-agent ${program}.new`,
    `${root}mv ${program}.new ${program}`,
    'rm hosting-agent',
    `${root}${program} install --port ${port}`,
    `${root}${program} enrol --server ${server_id} --hub-key ${hub_key}`,
  ].join(' && ')
}
