const ALGORITHM = { name: 'RSA-OAEP', hash: 'SHA-256' } as const
const LINE = 64

/** Browsers have WebCrypto on HTTPS and on localhost only. */
export const hasWebCrypto = (): boolean => globalThis.crypto?.subtle !== undefined

/** Both keys as PEM: SPKI and PKCS #8. */
export async function createKeyPair(): Promise<{ public_key: string; private_key: string }> {
  const size = { modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]) }
  const pair = await crypto.subtle.generateKey({ ...ALGORITHM, ...size }, true, [
    'encrypt',
    'decrypt',
  ])
  const [spki, pkcs8] = await Promise.all([
    crypto.subtle.exportKey('spki', pair.publicKey),
    crypto.subtle.exportKey('pkcs8', pair.privateKey),
  ])
  return { public_key: pemOf('PUBLIC KEY', spki), private_key: pemOf('PRIVATE KEY', pkcs8) }
}

/** Both texts are base64. Throws if the key does not fit. */
export async function answerOf(private_key: string, challenge: string): Promise<string> {
  const usages: KeyUsage[] = ['decrypt']
  const key = await crypto.subtle.importKey('pkcs8', bytesIn(private_key), ALGORITHM, false, usages)
  return base64Of(await crypto.subtle.decrypt(ALGORITHM, key, bytesOf(challenge)))
}

/** What a private key can be used for. */
interface Kit {
  /** As PEM. */
  public_key: string
  /** The beginning of the SHA-256 of the public key, as the API shows it. */
  fingerprint: string
  /** Returns the decrypted bytes; undefined when they were encrypted to another key. */
  open(sealed: string): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/** The private key stays in the page. Throws for a text that is none. */
export async function readKit(private_key: string): Promise<Kit> {
  const der = bytesIn(private_key)
  const key = await crypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['decrypt'])
  const { n, e, kty } = await crypto.subtle.exportKey('jwk', key)
  const own = { n, e, kty } as JsonWebKey
  const half = await crypto.subtle.importKey('jwk', own, ALGORITHM, true, ['encrypt'])
  const spki = await crypto.subtle.exportKey('spki', half)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', spki))
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const open = async (sealed: string) =>
    crypto.subtle.decrypt(ALGORITHM, key, bytesOf(sealed)).then(
      (bytes) => new Uint8Array(bytes),
      () => undefined,
    )
  return { public_key: pemOf('PUBLIC KEY', spki), fingerprint: hex.slice(0, 16), open }
}

/** In base64. */
export async function sealTo(public_key: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const der = bytesIn(public_key)
  const key = await crypto.subtle.importKey('spki', der, ALGORITHM, false, ['encrypt'])
  return base64Of(await crypto.subtle.encrypt(ALGORITHM, key, bytes))
}

function pemOf(label: string, der: ArrayBuffer): string {
  const lines = base64Of(der).match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

const bytesIn = (pem: string) => bytesOf(pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, ''))

const bytesOf = (text: string) => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))

const base64Of = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
