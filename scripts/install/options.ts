import { isIP } from 'node:net'
import { parseArgs } from 'node:util'
import { MACHINES } from '#shared/kernel/machines.ts'

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

/** A recovery has the absolute paths of a backup of a lost dashboard and of the recovery kit. */
export interface Recovery {
  backup: string
  kit: string
}

/** A request is what the command line asks for. */
export interface Request {
  settings: Settings
  dry_run: boolean
  uninstall: boolean
  purge: boolean
}

type Texts = Record<keyof Settings, string>

const DEFAULTS: Texts = {
  domain: '',
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
const NAMES = Object.keys(DEFAULTS) as (keyof Settings)[]
const FLAGS = ['private_networks', 'dry_run', 'uninstall', 'purge']
/** Files that one run reads: they are not stored. */
const ONCE = ['recover', 'kit']

/**
 * Reads the settings: options first, then the environment (`INSTALL_ACME_DIRECTORY`), then the
 * options of the last run, then the defaults. Throws an error that names the option.
 */
export function readOptions(
  argv: readonly string[],
  env: Record<string, string | undefined>,
  kept: Partial<Settings>,
): Request {
  const values = valuesIn(argv)
  const texts = { ...DEFAULTS }
  for (const name of NAMES) {
    const given = values[optionOf(name)] ?? (env[`INSTALL_${name.toUpperCase()}`] || kept[name])
    if (given !== undefined && given !== '') texts[name] = textOf(given)
  }
  if (values.purge && !values.uninstall) throw new Error('--purge needs --uninstall')
  const settings = settingsOf(texts)
  const rule = values.uninstall ? undefined : RULES.find(([broken]) => broken(settings))
  if (rule) throw new Error(rule[1])
  return {
    settings,
    dry_run: values['dry-run'] === true,
    uninstall: values.uninstall === true,
    purge: values.purge === true,
  }
}

/** Returns the files of a recovery; undefined: nothing is recovered. */
export function recoveryIn(argv: readonly string[]): Recovery | undefined {
  const { recover, kit } = valuesIn(argv)
  if (recover === undefined && kit === undefined) return undefined
  const paths = { recover: textOf(recover ?? ''), kit: textOf(kit ?? '') }
  for (const [name, path] of Object.entries(paths))
    if (!path.startsWith('/'))
      throw new Error(`--recover and --kit belong together: --${name} needs an absolute path`)
  return { backup: paths.recover, kit: paths.kit }
}

const optionOf = (name: string) => name.replaceAll('_', '-')

const textOf = (value: unknown) =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)

function valuesIn(argv: readonly string[]): Record<string, unknown> {
  const options = Object.fromEntries(
    [...NAMES, ...FLAGS, ...ONCE].map((name) => {
      const type = FLAGS.includes(name) ? ('boolean' as const) : ('string' as const)
      return [optionOf(name), { type }]
    }),
  )
  try {
    return parseArgs({ args: [...argv], options, allowNegative: true }).values
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ')
    throw new Error(`${reason}: see --help`)
  }
}

function settingsOf(texts: Texts): Settings {
  return {
    ...texts,
    domain: texts.domain.trim().toLowerCase(),
    proxy: oneOf('proxy', PROXIES, texts.proxy),
    tls: oneOf('tls', TLS, texts.tls),
    private_networks: texts.private_networks === 'yes',
    port: Number(texts.port),
    machines: texts.machines.split(',').filter(Boolean),
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
  [({ domain }) => domain === '', '--domain is missing: the name of the dashboard for browsers'],
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

function oneOf<T extends string>(name: string, known: readonly T[], value: string): T {
  const found = known.find((each) => each === value)
  if (found === undefined) throw new Error(`--${name} must be one of ${known.join(', ')}`)
  return found
}
