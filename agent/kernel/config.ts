import process from 'node:process'
import { z } from 'zod'
import { ConfigError } from '#agent/kernel/host/errors.ts'
import { ownProgram } from '#agent/kernel/host/own-program.ts'
import type { HostSettings } from '#agent/kernel/host/settings.ts'
import { MAIL_ROOT } from '#agent/kernel/mail/paths.ts'
import { DEFAULT_SCHEDULE, type RetrySchedule } from '#agent/kernel/mail/retry-schedule.ts'
import { isIpLiteral } from '#shared/kernel/names.ts'
import { RESTIC } from '#shared/kernel/source.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { publishedBuild } from './published-build.ts'

export interface Config {
  address: string
  port: number
  state_dir: string
  /** `none-for-tests` is `none` on a machine with sites, each of which is root there. */
  auth: (typeof AUTH)[number]
  policy_file: string
  /** The disk limit for the records of ended operations. */
  operations_bytes: number
  /** The socket between the two halves of the agent. */
  run_dir: string
  /** The descriptor of the port that systemd holds: sd_listen_fds(3). */
  listen_fd: number | undefined
  /** systemd's folder of credentials for this process: systemd.exec(5), Credentials. */
  credentials: string | undefined
  mail_schedule: RetrySchedule
  settings: HostSettings
}

/** The repository of Debian's maintainer of PHP, and the fingerprint of its key. */
const PHP_SOURCE = {
  url: 'https://packages.sury.org/php',
  fingerprint: '15058500A0235D97F5D10063B188E2B695BD4743',
}

const AUTH = ['signed', 'none', 'none-for-tests'] as const

/** wp-cli 2.12.0, with the digest that its project publishes. */
const WP_CLI = {
  url: 'https://github.com/wp-cli/wp-cli/releases/download/v2.12.0/wp-cli-2.12.0.phar',
  sha512:
    'be928f6b8ca1e8dfb9d2f4b75a13aa4aee0896f8a9a0a1c45cd5d2c98605e6172e6d014dda2e27f88c98befc16c040cbb2bd1bfa121510ea5cdf5f6a30fe8832',
}

const url = z
  .string()
  .regex(/^(https?|file):\/\/[\x21-\x7e]+$/, 'must be an http:, https: or file: address')
  .transform((value) => value.replace(/\/$/, ''))
const digits = (count: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${count}}$`), `must be ${count} hexadecimal digits`)
/** Excludes words that a program could read as an option or a variable. */
const trustedText = z
  .string()
  .regex(
    /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)+$/,
    'must be an absolute path of a-z A-Z 0-9 . _ - /',
  )
const PATH = /^\/[\w./:@+=,~-]*$/
/** A path that units and settings of nginx may contain. */
const path = z.string().regex(PATH, 'must be an absolute path of a-z A-Z 0-9 _ . / : @ + = , ~ -')

const Environment = z.object({
  AGENT_LISTEN: z
    .string()
    .regex(/^(\[[0-9a-fA-F:.]+\]|[0-9.]+|localhost):\d{1,5}$/, 'must be <address>:<port>')
    .default('127.0.0.1:8443'),
  AGENT_STATE_DIR: path.default('/var/lib/hosting-agent'),
  AGENT_AUTH: z.enum(AUTH, { error: 'must be signed or none' }).default('signed'),
  AGENT_POLICY_FILE: path.default('/etc/hosting-agent/policy.json'),
  AGENT_OPERATIONS_MB: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a number of MB from 1 to 999999')
    .default('256'),
  AGENT_RUN_DIR: path.default('/run/hosting-agent'),
  AGENT_MAIL_DIR: path.default(MAIL_ROOT),
  AGENT_MAIL_RETRIES: z
    .string()
    .regex(/^[1-9]\d{0,5}(,[1-9]\d{0,5}){0,19}$/, 'must be up to 20 numbers of seconds')
    .optional(),
  CREDENTIALS_DIRECTORY: path.optional(),
  LISTEN_FDS: z.string().optional(),
  LISTEN_PID: z.string().optional(),
  AGENT_WORDPRESS_URL: url.default('https://wordpress.org'),
  AGENT_WORDPRESS_SHA256: digits(64).optional(),
  AGENT_WORDPRESS_CHECKSUMS_URL: url
    .refine((value) => !value.startsWith('http:'), 'must be https: or file:')
    .default('https://api.wordpress.org/core/checksums/1.0'),
  AGENT_WP_CLI_URL: url.default(WP_CLI.url),
  AGENT_WP_CLI_SHA512: digits(128).default(WP_CLI.sha512),
  AGENT_RESTIC_URL: url.optional(),
  AGENT_RESTIC_SHA256: digits(64).optional(),
  AGENT_RESTIC_STALL: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'must be a number of seconds from 1 to 99999')
    .default('1500'),
  AGENT_PHP_SOURCE: url.default(PHP_SOURCE.url),
  AGENT_PHP_SOURCE_KEY: url.optional(),
  AGENT_PHP_SOURCE_FINGERPRINT: z
    .string()
    .regex(/^[0-9A-Fa-f]{40}$/, 'must be 40 hexadecimal digits')
    .default(PHP_SOURCE.fingerprint),
  AGENT_ACME_DIRECTORY: url.default('https://acme-v02.api.letsencrypt.org/directory'),
  AGENT_ACME_CA_FILE: path.optional(),
  AGENT_DNS_HOOK: trustedText.optional(),
  AGENT_CLOUDFLARE_TOKEN_FILE: trustedText.optional(),
  AGENT_CDN_NETWORKS_FILE: trustedText.optional(),
  AGENT_CLOUDFLARE_API: z
    .string()
    .regex(
      /^(https:\/\/|http:\/\/127\.0\.0\.1:)[\x21-\x7e]+$/,
      'must be an https: address, or http: on 127.0.0.1',
    )
    .transform((value) => value.replace(/\/$/, ''))
    .default('https://api.cloudflare.com/client/v4'),
})

/** Throws a ConfigError with one readable line for the first bad value. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  const parsed = Environment.safeParse(Object.fromEntries(given))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new ConfigError(`${String(issue?.path[0])} ${issue?.message}`)
  }
  const { data: values } = parsed
  const [, host = '', digits = ''] = /^(.*):(\d+)$/.exec(values.AGENT_LISTEN) ?? []
  const address = host.replace(/^\[|\]$/g, '')
  const port = Number(digits)
  if (address !== 'localhost' && !isIpLiteral(address)) {
    throw new ConfigError('AGENT_LISTEN must have an IP address or localhost before the port')
  }
  if (port > 65535) throw new ConfigError('AGENT_LISTEN must have a port up to 65535')
  if (values.AGENT_AUTH !== 'signed' && !isLoopback(address)) {
    throw new ConfigError('AGENT_AUTH=none is allowed on a loopback address only')
  }
  if (/^http:/.test(values.AGENT_WORDPRESS_URL) && values.AGENT_WORDPRESS_SHA256 === undefined) {
    throw new ConfigError(
      'AGENT_WORDPRESS_URL must be https: or file:, or AGENT_WORDPRESS_SHA256 must be set',
    )
  }
  const restic = resticOf(values.AGENT_RESTIC_URL, values.AGENT_RESTIC_SHA256)
  return {
    address,
    port,
    state_dir: values.AGENT_STATE_DIR,
    auth: values.AGENT_AUTH,
    policy_file: values.AGENT_POLICY_FILE,
    operations_bytes: Number(values.AGENT_OPERATIONS_MB) * 2 ** 20,
    run_dir: values.AGENT_RUN_DIR,
    mail_schedule: scheduleOf(values.AGENT_MAIL_RETRIES),
    listen_fd: listenFdOf(values),
    credentials: values.CREDENTIALS_DIRECTORY,
    settings: {
      state_dir: values.AGENT_STATE_DIR,
      wordpress_url: values.AGENT_WORDPRESS_URL,
      wordpress_checksums_url: values.AGENT_WORDPRESS_CHECKSUMS_URL,
      wp_cli_url: values.AGENT_WP_CLI_URL,
      wp_cli_sha512: values.AGENT_WP_CLI_SHA512,
      restic_urls: restic.urls,
      restic_sha256: restic.sha256,
      restic_stall_ms: Number(values.AGENT_RESTIC_STALL) * 1000,
      php_source: {
        url: values.AGENT_PHP_SOURCE,
        key_url: values.AGENT_PHP_SOURCE_KEY ?? `${values.AGENT_PHP_SOURCE}/apt.gpg`,
        fingerprint: values.AGENT_PHP_SOURCE_FINGERPRINT.toUpperCase(),
      },
      acme_directory: values.AGENT_ACME_DIRECTORY,
      acme_ca_file: values.AGENT_ACME_CA_FILE,
      dns_hook: values.AGENT_DNS_HOOK,
      cdn_networks_file: values.AGENT_CDN_NETWORKS_FILE,
      cloudflare: {
        api: values.AGENT_CLOUDFLARE_API,
        token_file: values.AGENT_CLOUDFLARE_TOKEN_FILE,
      },
      wordpress_sha256: values.AGENT_WORDPRESS_SHA256,
      mail_dir: values.AGENT_MAIL_DIR,
      program: ownProgram(),
      version: packageJson.version,
      ...publishedBuild,
    },
  }
}

const FIRST_FD = 3

/** Ignores variables that systemd has set for a parent process. */
function listenFdOf({ LISTEN_FDS, LISTEN_PID }: z.output<typeof Environment>) {
  return LISTEN_FDS === '1' && LISTEN_PID === `${process.pid}` ? FIRST_FD : undefined
}

function scheduleOf(retries: string | undefined): RetrySchedule {
  if (retries === undefined) return DEFAULT_SCHEDULE
  return {
    ...DEFAULT_SCHEDULE,
    retries: retries.split(',').map((seconds) => 1000 * Number(seconds)),
  }
}

/** Returns the pinned restic of this architecture, unless the settings name another. */
function resticOf(url: string | undefined, sha256: string | undefined) {
  if (url !== undefined && sha256 !== undefined) return { urls: [url], sha256 }
  if (url === undefined && sha256 === undefined)
    return RESTIC[process.arch === 'arm64' ? 'arm64' : 'x64']
  throw new ConfigError('AGENT_RESTIC_URL and AGENT_RESTIC_SHA256 must be set together')
}

function isLoopback(address: string): boolean {
  if (address === 'localhost' || address === '::1') return true
  return isIpLiteral(address) && address.startsWith('127.')
}
