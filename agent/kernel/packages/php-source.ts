import { createHash } from 'node:crypto'
import { type Change, deferred, generated, inOrder } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import {
  type GeneratedFile,
  MARK_LINE,
  readGenerated,
  replaceGenerated,
} from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Progress, Step } from '#agent/kernel/steps/command.ts'
import { SHIPPED_PHP } from '#shared/php/php-support.ts'
import { APT, APT_OPTIONS, withApt } from './apt.ts'
import { installedPhp } from './packages.ts'

const KEY_FILE = '/etc/apt/keyrings/hosting-php.asc'
const SOURCE_FILE = '/etc/apt/sources.list.d/hosting-php.sources'
/** The file of a source that apt does not read by itself until its lists are verified. */
const CANDIDATE_FILE = '/etc/apt/hosting-php.sources'
const PREFERENCES = '/etc/apt/preferences.d/hosting-php'
/** The file that adds the repository to the configuration of unattended-upgrades, clearing none. */
export const PHP_ORIGIN_FILE = '/etc/apt/apt.conf.d/61hosting-php'

/**
 * Returns the step that adds the apt repository of the settings; none if it is added. The PHP
 * version that Debian ships stays Debian's. A repository that apt cannot read or verify is not
 * added: its step fails, and the server has no part of it.
 */
export async function phpSourceSteps(host: Host): Promise<Step[]> {
  const text = renderSource(host, await releaseOf(host))
  if ((await host.files.read(SOURCE_FILE)) === text) return []
  const { url } = host.settings.php_source
  const restore = await restoreSource(host)
  const before = await installedPhp(host)
  return [
    {
      name: 'php source',
      title: `Adding the PHP repository ${url}`,
      effects: () => inOrder(described(host), verified(host)).effects(),
      apply: () => withApt(host, () => addSource(host)),
      async undo() {
        const installed = await installedPhp(host.steady ?? host)
        // PHP of the repository would otherwise get no updates.
        if (installed.every((version) => before.includes(version))) await restore()
      },
    },
  ]
}

/** Returns an undo that restores the present repository; one without a source is incomplete. */
async function restoreSource(host: Host): Promise<() => Promise<void>> {
  const { files } = host.steady ?? host
  const hasSource = (await files.stat(SOURCE_FILE)) !== undefined
  const former = await Promise.all(
    [KEY_FILE, SOURCE_FILE, PREFERENCES, PHP_ORIGIN_FILE, CANDIDATE_FILE].map(async (path) => ({
      path,
      text: hasSource && path !== CANDIDATE_FILE ? await files.read(path) : undefined,
    })),
  )
  return async () => {
    for (const { path, text } of former) {
      if (text === undefined) await files.remove(path)
      else await files.write(path, text)
    }
  }
}

async function* addSource(host: Host): Progress<void> {
  await readGenerated(host, SOURCE_FILE)
  await described(host).apply()
  yield 'Reading the package lists of the repository'
  await verified(host).apply()
}

/** The key and the preferences, without which the source must not be used. */
const described = (host: Host): Change =>
  inOrder(
    {
      // The key is known only once it is downloaded.
      effects: async () => [
        effects.run('download', host.settings.php_source.key_url),
        await effects.replacementOf(host, KEY_FILE),
      ],
      apply: async () => void (await replaceGenerated(host, KEY_FILE, await fetchKey(host))),
    },
    deferred(async () => generated(host, await filesOf(host))),
  )

/** The source counts as added once it is there. */
const verified = (host: Host): Change => ({
  async effects() {
    const text = renderSource(host, await releaseOf(host))
    const files = [{ path: SOURCE_FILE, text }]
    return [...(await effects.writesOf(host, files)), effects.run('program', 'apt-get update')]
  },
  async apply() {
    await replaceGenerated(host, CANDIDATE_FILE, renderSource(host, await releaseOf(host)))
    await updateCandidate(host)
    await host.files.rename(CANDIDATE_FILE, SOURCE_FILE)
  },
})

async function fetchKey(host: Host): Promise<string> {
  const { key_url, fingerprint } = host.settings.php_source
  const keyring = await host.net.fetch(key_url)
  const key = readKey(keyring, key_url, fingerprint)
  if (!key) throw new Error(`${key_url} does not have the key ${fingerprint}`)
  return armored(key, MARK_LINE)
}

function readKey(keyring: Uint8Array, key_url: string, fingerprint: string) {
  try {
    return keyOf(keyring, fingerprint)
  } catch (cause) {
    throw new Error(`${key_url} is not an OpenPGP keyring`, { cause })
  }
}

/** Updates the lists of this repository only, and fails at any problem: apt.conf(5), apt-get(8). */
async function updateCandidate({ shell }: Host): Promise<void> {
  const only = [`Dir::Etc::SourceList=${CANDIDATE_FILE}`, 'Dir::Etc::SourceParts=-']
  const strict = ['APT::Get::List-Cleanup=0', 'APT::Update::Error-Mode=any']
  const options = [...only, ...strict].flatMap((option) => ['-o', option])
  const argv = ['apt-get', ...APT, ...options, 'update', '-q']
  const { code, stdout, stderr } = await shell.try(argv, APT_OPTIONS)
  if (code === 0) return
  const errors = `${stdout}\n${stderr}`.match(/^E: .*/gm) ?? []
  const reason = errors.map((line) => line.slice(3)).join(' ')
  throw new Error(
    `apt cannot use the PHP repository: ${reason || `exit status ${code}`}`.slice(0, 1000),
  )
}

async function filesOf(host: Host): Promise<GeneratedFile[]> {
  const release = await releaseOf(host)
  const site = siteOf(host)
  const origin = `Unattended-Upgrade::Origins-Pattern {\n  "site=${site}";\n};\n`
  return [
    { path: PREFERENCES, text: renderPreferences(site, release) },
    ...(site === '' ? [] : [{ path: PHP_ORIGIN_FILE, text: `// ${MARK_LINE}\n${origin}` }]),
  ]
}

function renderSource({ settings: { php_source } }: Host, { codename }: DebianRelease): string {
  return `# ${MARK_LINE}
Types: deb
URIs: ${php_source.url}
Suites: ${codename}
Components: main
Signed-By: ${KEY_FILE}
`
}

/** Keeps installed packages of Debian's own version: apt_preferences(5). */
function renderPreferences(site: string, { version }: DebianRelease): string {
  const shipped = SHIPPED_PHP[version] ?? ''
  return `Explanation: ${MARK_LINE}
Package: php${shipped}-* libapache2-mod-php${shipped} libphp${shipped}-embed
Pin: origin "${site}"
Pin-Priority: 100
`
}

/** Returns the host name of the repository; empty for a local one. */
const siteOf = ({ settings: { php_source } }: Host): string => new URL(php_source.url).hostname

interface DebianRelease {
  version: string
  codename: string
}

async function releaseOf({ files }: Host): Promise<DebianRelease> {
  const text = (await files.read('/etc/os-release')) ?? ''
  const field = (name: string) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? ''
  return { version: field('VERSION_ID'), codename: field('VERSION_CODENAME') }
}

const BLOCK = 'PGP PUBLIC KEY BLOCK'
const PUBLIC_KEY = 6
/** The tags of packets that belong to the previous key: subkey, user id, signature, attribute. */
const PARTS_OF_KEY = new Set([2, 13, 14, 17])

interface PgpPacket {
  tag: number
  bytes: Uint8Array
  body: Uint8Array
}

/**
 * Returns the OpenPGP key with this fingerprint, with all that belongs to it, from a binary or
 * ASCII-armored keyring; undefined when the keyring does not have it. Throws for anything but a
 * keyring. Source: RFC 9580, sections 4.2, 5.5.4.2 and 6.
 */
export function keyOf(keyring: Uint8Array, fingerprint: string): Uint8Array | undefined {
  const kept: Uint8Array[] = []
  let isKept = false
  for (const { tag, bytes, body } of packetsOf(binary(keyring))) {
    if (tag === PUBLIC_KEY) isKept = fingerprintOf(body) === fingerprint.toUpperCase()
    else if (!PARTS_OF_KEY.has(tag)) continue
    if (isKept) kept.push(bytes)
  }
  return kept.length === 0 ? undefined : Buffer.concat(kept)
}

/** Returns the ASCII armor of a public key, with a comment of one line. */
export function armored(key: Uint8Array, comment: string): string {
  const lines =
    Buffer.from(key)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  const checksum = Buffer.from(crc24(key)).toString('base64')
  return `-----BEGIN ${BLOCK}-----\nComment: ${comment}\n\n${lines.join('\n')}\n=${checksum}\n-----END ${BLOCK}-----\n`
}

/** Returns the fingerprint of a key of version 4; other keys have none of 40 digits. */
function fingerprintOf(body: Uint8Array): string | undefined {
  if (body[0] !== 4) return undefined
  const head = Uint8Array.of(0x99, body.length >> 8, body.length & 0xff)
  return createHash('sha1').update(head).update(body).digest('hex').toUpperCase()
}

function binary(keyring: Uint8Array): Uint8Array {
  const text = Buffer.from(keyring).toString('latin1')
  if (!text.trimStart().startsWith(`-----BEGIN ${BLOCK}-----`)) return keyring
  const [, block = ''] = /-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n([\s\S]*?)-----END/.exec(text) ?? []
  return Buffer.from(block.replace(/^=.*$/m, ''), 'base64')
}

function* packetsOf(bytes: Uint8Array): Generator<PgpPacket> {
  for (let at = 0; at < bytes.length; ) {
    const { tag, from, length } = headerOf(bytes, at)
    const end = from + length
    if (end > bytes.length) throw new Error('It is cut off')
    yield { tag, bytes: bytes.subarray(at, end), body: bytes.subarray(from, end) }
    at = end
  }
}

function headerOf(bytes: Uint8Array, at: number) {
  const [first = 0] = bytes.subarray(at, at + 1)
  if ((first & 0x80) === 0) throw new Error('It is not an OpenPGP keyring')
  const isNew = (first & 0x40) !== 0
  const size = isNew ? newSize(bytes, at + 1) : oldSize(bytes, at + 1, first & 3)
  if (!size) throw new Error('It is not an OpenPGP keyring')
  const tag = isNew ? first & 0x3f : (first >> 2) & 0xf
  return { tag, from: at + 1 + size.digits, length: size.length }
}

function newSize(bytes: Uint8Array, at: number) {
  const [first = 0, second = 0] = bytes.subarray(at, at + 2)
  if (first < 192) return { digits: 1, length: first }
  if (first < 224) return { digits: 2, length: ((first - 192) << 8) + second + 192 }
  return first === 255 ? { digits: 5, length: number(bytes.subarray(at + 1, at + 5)) } : undefined
}

function oldSize(bytes: Uint8Array, at: number, kind: number) {
  const digits = [1, 2, 4][kind]
  return digits && { digits, length: number(bytes.subarray(at, at + digits)) }
}

const number = (bytes: Uint8Array) => bytes.reduce((sum, byte) => sum * 256 + byte, 0)

/** Computes the checksum of RFC 9580, section 6.1.1. */
function crc24(bytes: Uint8Array): Uint8Array {
  let crc = 0xb704ce
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit++)
      crc = (crc & 0x800000) === 0 ? crc << 1 : (crc << 1) ^ 0x864cfb
  }
  return Uint8Array.of((crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff)
}
