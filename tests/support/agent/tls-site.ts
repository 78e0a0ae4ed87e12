import { tlsIssue } from '#agent/features/domains/tls.issue.ts'
import type { AcmeOrder, AcmeOutcome } from '#agent/kernel/host/acme-port.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { TlsMode } from '#shared/kernel/fields.ts'
import type { Warning } from '#shared/servers/agent.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { selfSignedPem } from '#tests/support/fixtures/certificates.ts'
import { contextOf, debian, outcome } from './debian.ts'
import 'reflect-metadata'
import { createPublicKey } from 'node:crypto'

import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 86_400_000

interface Asked {
  names: readonly string[]
  /** PEM of the private key of the site. */
  private_key: string
  now: number
}

let issued = 0

/** A certificate of an authority for 90 days from `now` on, as PEM. */
async function issuedPem({ names, private_key, now }: Asked): Promise<string> {
  const { privateKey: signingKey } = await crypto.subtle.generateKey(ALGORITHM, true, ['sign'])
  const spki = createPublicKey(private_key).export({ type: 'spki', format: 'der' })
  const publicKey = await crypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify'])
  issued += 1
  const made = await X509CertificateGenerator.create({
    ...{ issuer: 'CN=Example Authority', subject: `CN=${names[0]}`, signingKey, publicKey },
    ...{ serialNumber: `01${String(issued).padStart(6, '0')}`, signingAlgorithm: ALGORITHM },
    ...{ notBefore: new Date(now), notAfter: new Date(now + 90 * DAY_MS) },
    extensions: [
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  })
  return `${made.toString('pem')}\n`
}

/** A machine with the site a.example on http, whose nginx serves tokens and answers handshakes. */
export async function tlsSite(): Promise<FakeHost> {
  const host = debian()
  const site = { domain: 'a.example', php: '8.2', tier: 'small', tls: 'none' } as const
  await writeSite(host, { ...site, user: 'shop', email: 'a@a.example' })
  host.answer('openssl req', selfSignedPem)
  host.pages.set('https://a.example/', 'front page')
  serveTokens(host, ['a.example', 'www.a.example'])
  return host
}

/** The contents of the ACME folder are served for these names. */
export function serveTokens({ disk, net, pages }: FakeHost, names: readonly string[]) {
  const { probe } = net
  net.probe = async (asked) => {
    const text = await disk.read(`/var/lib/hosting-acme${asked.path}`)
    if (text !== undefined && names.includes(asked.host))
      pages.set(`http://${asked.host}${asked.path}`, text)
    return probe(asked)
  }
}

/** The records of some names; no name server answers for others. */
export function resolving({ net }: FakeHost, records: Record<string, string[]>): void {
  net.resolve = async (names) => names.map((name) => records[name] ?? null)
}

/** The authority requests one token, and then answers this. */
export function authority(host: FakeHost, answer: (order: AcmeOrder) => AcmeOutcome): void {
  host.acme.order = async (order) => {
    host.orders.push(order)
    await order.present('token_1', 'token_1.thumbprint')
    return answer(order)
  }
}

/** The authority issues a certificate for what is ordered, from the time of the server on. */
export function issuing(host: FakeHost): void {
  host.acme.order = async (order) => {
    host.orders.push(order)
    return { chain: await issuedPem({ ...order, now: host.clock.now() }) }
  }
}

/** Runs tls.issue for a.example: its lines, its result or the message of its error, its warnings. */
export async function issue(host: FakeHost, tls: string) {
  const params = { domain: 'a.example', tls: TlsMode.parse(tls), email: 'ops@a.example' }
  const warnings: Warning[] = []
  const [lines, result] = await outcome(tlsIssue.run(params, contextOf(host, warnings)))
  return [lines, result, warnings] as const
}
