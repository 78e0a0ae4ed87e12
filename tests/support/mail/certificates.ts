import 'reflect-metadata'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY = 24 * 3_600_000

export interface Certified {
  key: string
  cert: string
}

/** A test authority, whose certificate is in the file `roots`. */
export class Authority {
  readonly pem: string
  readonly roots: string
  readonly #root: X509Certificate
  readonly #keys: CryptoKeyPair

  private constructor(root: X509Certificate, keys: CryptoKeyPair) {
    this.#root = root
    this.#keys = keys
    this.pem = `${root.toString('pem')}\n`
    this.roots = `${mkdtempSync(`${tmpdir()}/roots-`)}/roots.pem`
    writeFileSync(this.roots, this.pem)
  }

  static async create(): Promise<Authority> {
    const keys = await makeKeys()
    const root = await X509CertificateGenerator.createSelfSigned({
      ...{ name: 'CN=Mail test root', ...span(), signingAlgorithm: ALGORITHM, keys },
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    })
    return new Authority(root, keys)
  }

  /** `days` is its validity; less than 0: expired. */
  async certify(name: string, days = 30): Promise<Certified> {
    const keys = await makeKeys()
    const certificate = await X509CertificateGenerator.create({
      ...{ subject: 'CN=relay', issuer: this.#root.subject, ...span(days) },
      ...{ publicKey: keys.publicKey, signingKey: this.#keys.privateKey },
      signingAlgorithm: ALGORITHM,
      extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
    })
    return { key: await pemOf(keys), cert: certificate.toString('pem') }
  }
}

export async function selfSigned(name: string): Promise<Certified> {
  const keys = await makeKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=relay', ...span(), signingAlgorithm: ALGORITHM, keys },
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  })
  return { key: await pemOf(keys), cert: certificate.toString('pem') }
}

const span = (days = 30) => ({
  notBefore: new Date(Date.now() - 60 * DAY),
  notAfter: new Date(Date.now() + days * DAY),
})

const makeKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

async function pemOf({ privateKey }: CryptoKeyPair): Promise<string> {
  const base64 = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey)).toString('base64')
  const lines = base64.match(/.{1,64}/g) ?? []
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`
}
