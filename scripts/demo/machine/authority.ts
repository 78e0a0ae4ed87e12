import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { AcmeOrder, AcmeOutcome } from '#agent/kernel/host/acme-port.ts'
import type { Output } from '#agent/kernel/host/ports.ts'
import { failed, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { DAY_MS } from '#scripts/demo/time.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { Machine } from './machine.ts'

const LIFETIME_DAYS = 90
const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }

export const NO_DNS = 'DNS problem: NXDOMAIN looking up A: check that a DNS record exists'

/** Names that no authority accepts: those without public DNS, and a few that fail on purpose. */
const REFUSED: readonly [RegExp, string][] = [
  [/\.(test|localhost|internal)$/, 'Domain name does not end with a valid public suffix (TLD)'],
  [/^(nodns|broken)[.-]/, NO_DNS],
]

/** The key of the authority, and of every initial certificate. */
const { privateKey: KEY } = generateKeyPairSync('ec', { namedCurve: CURVE.namedCurve })

/** Returns the key as PKCS 8 in PEM. */
export const initialKey = (): string => String(KEY.export({ type: 'pkcs8', format: 'pem' }))

/** Returns the authority's answer to an order. */
export async function certify(
  { names, private_key }: AcmeOrder,
  { time, unresolved }: Machine,
): Promise<AcmeOutcome> {
  const refused = names.flatMap((name) => {
    const bare = apexOf(name)
    const reason = REFUSED.find(([pattern]) => pattern.test(bare))?.[1]
    if (reason !== undefined || unresolved.has(bare)) return [{ name, reason: reason ?? NO_DNS }]
    return []
  })
  if (refused.length > 0) return { refused }
  const key = createPrivateKey(private_key)
  return { chain: await issued({ names, key, days: LIFETIME_DAYS }, time.now()) }
}

/** Acts as `openssl req -x509` for the given key. */
export async function selfSignedBy(machine: Machine, argv: readonly string[]): Promise<Output> {
  const pem = machine.disk.text(argv[argv.indexOf('-key') + 1] ?? '')
  const name = argv[argv.indexOf('-subj') + 1]?.slice(1)
  if (pem === undefined || name === undefined) return failed('Could not open the private key')
  const names = [...argv.join(' ').matchAll(/DNS:([^,\s]+)/g)].map(([, found = '']) => found)
  const key = createPrivateKey(pem)
  return printed(await selfSigned({ name, names, key }, machine.time.now()))
}

interface Certified {
  names: readonly string[]
  key?: KeyObject
}

/** Returns a certificate of the authority with the given remaining days. */
export function issued(
  { names, key = KEY, days }: Certified & { days: number },
  now: number,
): Promise<string> {
  const until = now + days * DAY_MS
  const subject = `CN=${names[0]?.slice(0, 64)}`
  const issuer = { name: 'CN=Demo Authority', key: KEY }
  return signed({ names, subject, key, issuer, from: until - LIFETIME_DAYS * DAY_MS, until })
}

export function selfSigned(
  { name, names, key = KEY }: Certified & { name: string },
  now: number,
): Promise<string> {
  const [from, until] = [now - DAY_MS, now + 825 * DAY_MS]
  return signed({ names, subject: name, key, issuer: { name, key }, from, until })
}

interface Signed extends Required<Certified> {
  subject: string
  issuer: { name: string; key: KeyObject }
  from: number
  until: number
}

async function signed({ names, subject, key, issuer, from, until }: Signed): Promise<string> {
  await import('reflect-metadata')
  const { X509CertificateGenerator, SubjectAlternativeNameExtension } = await import(
    '@peculiar/x509'
  )
  const sans = names.map((value) => ({ type: 'dns' as const, value }))
  const certificate = await X509CertificateGenerator.create({
    ...{ subject, issuer: issuer.name, notBefore: new Date(from), notAfter: new Date(until) },
    publicKey: cryptoKeyOf(createPublicKey(key), 'verify'),
    signingKey: cryptoKeyOf(issuer.key, 'sign'),
    signingAlgorithm: { ...CURVE, hash: 'SHA-256' },
    extensions: [new SubjectAlternativeNameExtension(sans)],
  })
  return `${certificate.toString('pem')}\n`
}

/** Node and the browser have one class of keys, under two types. */
const cryptoKeyOf = (key: KeyObject, usage: 'sign' | 'verify') =>
  key.toCryptoKey(CURVE, true, [usage]) as CryptoKey
