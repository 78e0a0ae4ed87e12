import type { Build } from '#dashboard/kernel/agents/builds.ts'
import { conflict } from '#shared/kernel/errors.ts'

interface Parts {
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
 * One command to paste into a shell on the server. It contains the digest, which is not downloaded
 * with the program. The code is read afterwards from standard input. Throws conflict for an address
 * of the dashboard with shell characters.
 */
export function installLine({ machine, sha256 }: Build, parts: Parts): string {
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
