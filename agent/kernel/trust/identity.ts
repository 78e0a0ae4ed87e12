import { generateKeyPairSync } from 'node:crypto'
import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { rawKeyOf, sha256 } from '#agent/kernel/host/public-keys.ts'

const StoredIdentity = z.strictObject({
  public_key: z.string(),
  private_key: z.string(),
  tls_key: z.string(),
  certificate: z.string(),
})

/** The Ed25519 key of this agent, and a TLS key with its pinned self-signed certificate, as PEM. */
export type Identity = z.infer<typeof StoredIdentity>

const TEN_YEARS_MS = 3650 * 24 * 3_600_000
const TLS_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** Loads the identity from a file that only root can read; creates it at the first start. */
export async function loadIdentity(
  files: Files,
  state_dir: string,
  now: number,
): Promise<Identity> {
  const path = `${state_dir}/trust/identity.json`
  const text = await files.read(path)
  if (text !== undefined) return StoredIdentity.parse(JSON.parse(text))
  const identity = await createIdentity(now)
  await files.mkdir(`${state_dir}/trust`, { mode: 0o711 })
  await files.write(path, `${JSON.stringify(identity)}\n`, { mode: 0o600 })
  return identity
}

export function audienceOf({ public_key }: Identity): string {
  return sha256(public_key)
}

async function createIdentity(now: number): Promise<Identity> {
  const signing = generateKeyPairSync('ed25519')
  return {
    public_key: rawKeyOf(signing.publicKey),
    private_key: String(signing.privateKey.export({ format: 'pem', type: 'pkcs8' })),
    ...(await createCertificate(now)),
  }
}

/** Loads its libraries only at the first start: they take longer than all the others. */
async function createCertificate(now: number) {
  await import('reflect-metadata')
  const { X509CertificateGenerator } = await import('@peculiar/x509')
  const keys = await crypto.subtle.generateKey(TLS_ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=hosting-agent',
    notBefore: new Date(now - 24 * 3_600_000),
    notAfter: new Date(now + TEN_YEARS_MS),
    signingAlgorithm: TLS_ALGORITHM,
    keys,
  })
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { tls_key: pem(pkcs8), certificate: certificate.toString('pem') }
}

function pem(der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`
}
