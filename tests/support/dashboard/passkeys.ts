import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { type Dashboard, PASSWORD } from './dashboard.ts'

export const ORIGIN = 'https://control.example'

const UP = 0x01
const UV = 0x04
const AT = 0x40

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const base64 = (data: string | Uint8Array) => Buffer.from(data).toString('base64url')

interface Credential {
  id: string
  key: KeyObject
  handle: string
  counter: number
}

/** The changes that an attacker, or another site, would make to an answer. */
interface Forgery {
  origin?: string
  rp_id?: string
  /** Whether the authenticator has verified its user. Default true. */
  verified?: boolean
  counter?: number
  handle?: string
}

interface Asked {
  challenge: string
}

/** An authenticator with ES256 keys, and the browser that asks it. */
export class Authenticator {
  readonly #made: Credential[] = []
  /** Whether the authenticator counts its signatures; those of password managers do not. */
  readonly #counts: boolean

  constructor({ counts = true } = {}) {
    this.#counts = counts
  }

  /** The JSON that a browser makes of `navigator.credentials.create()`. */
  create(
    { challenge, rp, user }: Asked & { rp: { id: string }; user: { id: string } },
    { origin = ORIGIN, rp_id = rp.id, verified = true }: Forgery = {},
  ) {
    const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const id = crypto.getRandomValues(new Uint8Array(16))
    const made = { id: base64(id), key, handle: user.id, counter: 0 }
    this.#made.push(made)
    const cose = isoCBOR.encode(
      new Map<number, number | Uint8Array>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]),
    )
    const length = Buffer.from([0, id.length])
    const head = this.#head(made, { rp_id, verified }, AT)
    const authData = new Uint8Array(Buffer.concat([head, Buffer.alloc(16), length, id, cose]))
    const attestation = isoCBOR.encode(
      new Map<string, string | Uint8Array | Map<string, string>>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    const response = {
      clientDataJSON: clientData('webauthn.create', challenge, origin),
      attestationObject: base64(attestation),
      transports: ['internal'],
    }
    return { ...named(made), response }
  }

  /** The JSON that a browser makes of `navigator.credentials.get()`, with the newest passkey. */
  get({ challenge, rpId }: Asked & { rpId: string }, forged: Forgery = {}) {
    const made = this.#made.at(-1)
    if (!made) throw new Error('The authenticator has no passkey')
    const { origin = ORIGIN, rp_id = rpId, verified = true, handle = made.handle } = forged
    made.counter = forged.counter ?? made.counter + (this.#counts ? 1 : 0)
    const authenticatorData = this.#head(made, { rp_id, verified }, 0)
    const clientDataJSON = clientData('webauthn.get', challenge, origin)
    const signed = Buffer.concat([
      authenticatorData,
      sha256(Buffer.from(clientDataJSON, 'base64url')),
    ])
    const response = {
      clientDataJSON,
      authenticatorData: base64(authenticatorData),
      signature: base64(sign('sha256', signed, made.key)),
      userHandle: handle,
    }
    return { ...named(made), response }
  }

  #head(
    { counter }: Pick<Credential, 'counter'>,
    { rp_id, verified }: { rp_id: string; verified: boolean },
    more: number,
  ): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(rp_id), Buffer.from([UP | (verified ? UV : 0) | more]), count])
  }
}

const named = ({ id }: Pick<Credential, 'id'>) => ({
  id,
  rawId: id,
  type: 'public-key',
  clientExtensionResults: {},
})

const clientData = (type: string, challenge: string, origin: string) =>
  base64(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

type Headers = Record<string, string>

/** Adds a passkey to an account, by default that of the first user, and returns its id. */
export async function addPasskey(
  dashboard: Dashboard,
  authenticator: Authenticator,
  { name = 'Key', headers }: { name?: string; headers?: Headers } = {},
): Promise<string> {
  const options = await dashboard.call('POST', '/api/auth/passkeys/options', undefined, headers)
  if (options.status !== 200) throw new Error(`It answered ${JSON.stringify(options.body)}`)
  const body = { name, credential: authenticator.create(options.body) }
  const added = await dashboard.call('POST', '/api/auth/passkeys', body, headers)
  if (added.status !== 201) throw new Error(`It answered ${JSON.stringify(added.body)}`)
  return added.body.passkey.id
}

/** The options of a login, and the cookie of the browser that has requested them. */
export async function startLogin(dashboard: Dashboard) {
  const path = '/api/auth/login/passkey/options'
  const response = await dashboard.send('POST', path, undefined, { cookie: '' })
  const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')
  return { options: await response.json(), cookie }
}

/** Signs in with the password, as a browser without a session. */
export const passwordLogin = (dashboard: Dashboard, body: object, cookie = '') =>
  dashboard.call('POST', '/api/auth/login', { password: PASSWORD, ...body }, { cookie })
