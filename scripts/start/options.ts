import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Domain, TlsMode } from '#shared/kernel/fields.ts'

export const HELP = `sh scripts/start.sh: a dashboard and an agent for this machine

  --site <domain>   also creates a WordPress site on this machine (needs root)
  --tls <mode>      its certificate: none, self-signed or letsencrypt
                    (default: letsencrypt; none for names like example.test)

Environment: AGENT_PORT (8443) and that of the dashboard, most of all
HOST (127.0.0.1), PORT (3000), DATA_DIR (./data), ADMIN_EMAIL, ADMIN_PASSWORD.`

export type Site = { domain: string; tls: TlsMode }
export type Options = {
  root: string
  host: string
  port: number
  data_dir: string
  agent_port: number
  agent_state_dir: string
  superuser: boolean
  admin: { email: string; password: string } | undefined
  site: Site | undefined
}

type Environment = Record<string, string | undefined>

/** Returns the options; undefined if help is requested. Throws one line. */
export function readOptions(
  args: readonly string[],
  environment: Environment,
  root: string,
): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      site: { type: 'string' },
      tls: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  const data_dir = resolve(root, environment.DATA_DIR || 'data')
  const superuser = process.getuid?.() === 0
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = environment
  return {
    root,
    host: environment.HOST || '127.0.0.1',
    port: portOf('PORT', environment, 3000),
    data_dir,
    agent_port: portOf('AGENT_PORT', environment, 8443),
    agent_state_dir:
      environment.AGENT_STATE_DIR ||
      (superuser ? '/var/lib/hosting-agent' : join(data_dir, 'agent')),
    superuser,
    admin: email && password ? { email, password } : undefined,
    site: siteOf(values.site, values.tls),
  }
}

function portOf(name: string, environment: Environment, fallback: number): number {
  const text = environment[name] || String(fallback)
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port > 0 && port < 65536) return port
  throw new Error(`${name} must be a port number between 1 and 65535`)
}

function siteOf(name: string | undefined, tls: string | undefined): Site | undefined {
  if (name === undefined) {
    if (tls !== undefined) throw new Error('--tls needs --site <domain>')
    return undefined
  }
  const domain = Domain.safeParse(name)
  if (!domain.success) throw new Error('--site must be a domain name such as example.test')
  const mode = TlsMode.safeParse(tls ?? (isReserved(domain.data) ? 'none' : 'letsencrypt'))
  if (!mode.success) throw new Error('--tls must be none, self-signed or letsencrypt')
  return { domain: domain.data, tls: mode.data }
}

/** Names for which no public certificate exists (RFC 2606, RFC 6761, RFC 6762, RFC 8375). */
function isReserved(domain: string): boolean {
  return (
    /(^|\.)(test|example|invalid|localhost|local|internal|home\.arpa)$/.test(domain) ||
    /(^|\.)example\.(com|net|org)$/.test(domain)
  )
}
