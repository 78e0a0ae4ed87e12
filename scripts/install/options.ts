import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { MACHINES } from '#shared/machines.ts'

const PROXIES = ['nginx', 'caddy', 'none'] as const
const TLS = ['acme', 'self-signed', 'files'] as const

/** The options that are stored for the next run. */
export interface Settings {
  domain: string
  email: string
  proxy: (typeof PROXIES)[number]
  tls: (typeof TLS)[number]
  acme_directory: string
  certificate: string
  key: string
  private_networks: boolean
  port: number
  machines: string[]
}

export interface Wanted {
  settings: Settings
  dry_run: boolean
  uninstall: boolean
  purge: boolean
}

type Texts = Record<string, string | undefined>

const TEXTS = [
  'domain',
  'email',
  'proxy',
  'tls',
  'acme-directory',
  'certificate',
  'key',
  'port',
  'machines',
] as const

const DEFAULTS: Texts = {
  email: '',
  proxy: 'nginx',
  tls: 'acme',
  acme_directory: '',
  certificate: '',
  key: '',
  private_networks: 'no',
  port: '3000',
  machines: 'linux-x64,linux-arm64',
}

/**
 * Options first, then the environment (`INSTALL_ACME_DIRECTORY`), then the options of the last run,
 * then the defaults. Throws an error that names the option.
 */
export function readOptions(argv: readonly string[], env: Texts, kept: Partial<Settings>): Wanted {
  const { values, negatives } = parsed(argv)
  const given: Texts = { ...DEFAULTS, ...textsOf(kept) }
  for (const name of [...TEXTS, 'private-networks']) {
    const key = name.replaceAll('-', '_')
    const value = values[name] ?? env[`INSTALL_${key.toUpperCase()}`]
    if (value !== undefined && value !== '') given[key] = value === true ? 'yes' : String(value)
  }
  if (negatives.includes('private-networks')) given.private_networks = 'no'
  const uninstall = values.uninstall === true
  if (values.purge === true && !uninstall) throw new Error('--purge goes with --uninstall')
  return {
    settings: uninstall ? unchecked(given) : settingsOf(given),
    dry_run: values['dry-run'] === true,
    uninstall,
    purge: values.purge === true,
  }
}

function parsed(argv: readonly string[]) {
  const texts = TEXTS.map((name) => [name, { type: 'string' as const }] as const)
  const flags = ['private-networks', 'no-private-networks', 'dry-run', 'uninstall', 'purge']
  const options = Object.fromEntries([
    ...texts,
    ...flags.map((name) => [name, { type: 'boolean' as const }] as const),
  ])
  try {
    const { values } = parseArgs({ args: [...argv], options })
    const known: Record<string, unknown> = values
    return { values: known, negatives: known['no-private-networks'] ? ['private-networks'] : [] }
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ')
    throw new Error(`${reason}: see --help`)
  }
}

function textsOf(kept: Partial<Settings>): Texts {
  const entries = Object.entries(kept).map(([name, value]) => {
    if (typeof value === 'boolean') return [name, value ? 'yes' : 'no']
    return [name, String(value)]
  })
  return Object.fromEntries(entries)
}

function unchecked(given: Texts): Settings {
  return {
    domain: given.domain ?? '',
    email: given.email ?? '',
    proxy: oneOf('proxy', PROXIES, given.proxy),
    tls: oneOf('tls', TLS, given.tls),
    acme_directory: given.acme_directory ?? '',
    certificate: given.certificate ?? '',
    key: given.key ?? '',
    private_networks: given.private_networks === 'yes',
    port: Number(given.port),
    machines: (given.machines ?? '').split(',').filter(Boolean),
  }
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+${LABEL}$`)
const EMAIL = /^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}$/

const DIRECTORY = /^https:\/\/[\w.:[\]-]+(\/[\w./-]*)?$/
const PATH = /^\/[\w./@+-]+$/

type Rule = [broken: (settings: Settings) => boolean, message: string]

const isMachine = (name: string) => (MACHINES as readonly string[]).includes(name)
const needsFile = (settings: Settings, name: 'certificate' | 'key') =>
  settings.proxy !== 'none' && settings.tls === 'files' && !PATH.test(settings[name])

/** Values in files of other programs contain no character with a special meaning there. */
const RULES: readonly Rule[] = [
  [
    ({ domain }) => domain === '',
    '--domain is missing: the name at which the dashboard is to be reached',
  ],
  [
    ({ domain }) => !DOMAIN.test(domain) || isIP(domain) !== 0,
    '--domain must be a name such as control.example.com',
  ],
  [({ email }) => email !== '' && !EMAIL.test(email), '--email must be an e-mail address'],
  [
    ({ port }) => !Number.isInteger(port) || port < 1 || port > 65_535,
    '--port must be a port number between 1 and 65535',
  ],
  [
    ({ machines }) => machines.length === 0 || !machines.every(isMachine),
    `--machines must be some of ${MACHINES.join(',')}`,
  ],
  [
    ({ acme_directory }) => acme_directory !== '' && !DIRECTORY.test(acme_directory),
    '--acme-directory must be an https:// address',
  ],
  ...(['certificate', 'key'] as const).map(
    (name): Rule => [
      (settings) => needsFile(settings, name),
      `--tls files needs --${name} with the absolute path of a file`,
    ],
  ),
]

function settingsOf(given: Texts): Settings {
  const settings = unchecked({ ...given, domain: given.domain?.trim().toLowerCase() })
  const rule = RULES.find(([broken]) => broken(settings))
  if (rule) throw new Error(rule[1])
  return settings
}

function oneOf<T extends string>(name: string, known: readonly T[], value: string | undefined): T {
  const found = known.find((each) => each === value)
  if (found === undefined) throw new Error(`--${name} must be one of ${known.join(', ')}`)
  return found
}
