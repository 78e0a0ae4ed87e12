import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { AcmeOrder, AcmeOutcome } from '#agent/host/acme-port.ts'
import type { Output } from '#agent/host/ports.ts'
import { failed, said } from '#agent/host/simulated/programs/output.ts'
import { apexOf } from '#shared/names.ts'
import type { Machine } from './machine.ts'

const DAY_MS = 86_400_000
const LIFETIME_DAYS = 90
const ISSUER = 'CN=Demo Authority'
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

export const NO_DNS = 'DNS problem: NXDOMAIN looking up A: check that a DNS record exists'

/** Names that no authority accepts: those without public DNS, and a few that fail on purpose. */
const REFUSED: readonly [RegExp, string][] = [
  [/\.(test|localhost|internal)$/, 'Domain name does not end with a valid public suffix (TLD)'],
  [/^(nodns|broken)[.-]/, NO_DNS],
]

type Keys = { publicKey: CryptoKey; privateKey: CryptoKey }
let authority: Promise<Keys> | undefined

/** The authority's answer to an order. */
export async function certify(
  { names, private_key }: AcmeOrder,
  { time, astray }: Machine,
): Promise<AcmeOutcome> {
  const refused = names.flatMap((name) => {
    const bare = apexOf(name)
    const reason = REFUSED.find(([pattern]) => pattern.test(bare))?.[1]
    if (reason !== undefined || astray.has(bare)) return [{ name, reason: reason ?? NO_DNS }]
    return []
  })
  if (refused.length > 0) return { refused }
  const publicKey = await publicOf(private_key)
  return { chain: await signed({ names, publicKey, until: time.now() + LIFETIME_DAYS * DAY_MS }) }
}

/** A certificate for these names with the given remaining days, for `laidKey`. */
export async function certificateWith(
  days: number,
  names: readonly string[],
  now: number,
): Promise<string> {
  const { publicKey } = await authorityKeys()
  return signed({ names, publicKey, until: now + days * DAY_MS })
}

/** The private key of every initial certificate, PKCS 8 PEM. */
export async function laidKey(): Promise<string> {
  const { privateKey } = await authorityKeys()
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey))
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
}

/** `openssl req -x509`, for the given key. */
export async function selfSignedBy(machine: Machine, argv: readonly string[]): Promise<Output> {
  const pem = machine.disk.text(argv[argv.indexOf('-key') + 1] ?? '')
  const name = argv[argv.indexOf('-subj') + 1]?.slice(1)
  if (pem === undefined || name === undefined) return failed('Could not open the private key')
  const names = [...argv.join(' ').matchAll(/DNS:([^,\s]+)/g)].map(([, found = '']) => found)
  return said(await selfSigned({ name, names, keys: await keysOf(pem) }, machine.time.now()))
}

interface Signed {
  name: string
  names: readonly string[]
  /** Undefined: for `laidKey`. */
  keys?: Keys
}

export async function selfSigned({ name, names, keys }: Signed, now: number): Promise<string> {
  const { X509CertificateGenerator, SubjectAlternativeNameExtension } = await library()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name,
    keys: keys ?? (await authorityKeys()),
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + 825 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

async function signed(wanted: { names: readonly string[]; publicKey: CryptoKey; until: number }) {
  const { X509CertificateGenerator, SubjectAlternativeNameExtension } = await library()
  const { privateKey } = await authorityKeys()
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${wanted.names[0]?.slice(0, 64)}`,
    issuer: ISSUER,
    publicKey: wanted.publicKey,
    signingKey: privateKey,
    notBefore: new Date(wanted.until - LIFETIME_DAYS * DAY_MS),
    notAfter: new Date(wanted.until),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new SubjectAlternativeNameExtension(
        wanted.names.map((value) => ({ type: 'dns' as const, value })),
      ),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

async function library() {
  await import('reflect-metadata')
  return await import('@peculiar/x509')
}

function authorityKeys(): Promise<Keys> {
  authority ??= crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  return authority
}

async function keysOf(private_key: string): Promise<Keys> {
  const der = createPrivateKey(private_key).export({ type: 'pkcs8', format: 'der' })
  const bytes = new Uint8Array(der)
  return {
    publicKey: await publicOf(private_key),
    privateKey: await crypto.subtle.importKey('pkcs8', bytes, ALGORITHM, true, ['sign']),
  }
}

function publicOf(private_key: string): Promise<CryptoKey> {
  const spki = createPublicKey(private_key).export({ type: 'spki', format: 'der' })
  return crypto.subtle.importKey('spki', new Uint8Array(spki), ALGORITHM, true, ['verify'])
}
