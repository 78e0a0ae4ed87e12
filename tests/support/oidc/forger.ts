/** What a forger answers in the place of its ordinary values. */
interface Forgery {
  metadata?: Readonly<Record<string, unknown>>
  claims?: Readonly<Record<string, unknown>>
  /** The answer of the userinfo endpoint, which the forger has if it is given. */
  userinfo?: Readonly<Record<string, unknown>>
  /** Whether the ID token is signed with a key that the provider does not publish. */
  other_key?: boolean
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }

/** A provider on loopback whose ID tokens say what a test wants. */
export async function startForger(forgery: Forgery = {}) {
  const own = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const other = await crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const jwk = await crypto.subtle.exportKey('jwk', own.publicKey)
  const state = { forgery, nonce: '', requested: [] as string[] }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ url }) {
      const { pathname, origin } = new URL(url)
      state.requested.push(pathname)
      if (pathname === '/jwks')
        return Response.json({ keys: [{ ...jwk, kid: 'one', use: 'sig', alg: 'ES256' }] })
      if (pathname === '/userinfo') return Response.json(state.forgery.userinfo)
      if (pathname === '/token') return Response.json(await tokensOf(origin))
      if (pathname === '/.well-known/openid-configuration') return Response.json(metadataOf(origin))
      return new Response('', { status: 404 })
    },
  })

  function metadataOf(issuer: string) {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['ES256'],
      ...(state.forgery.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
      ...state.forgery.metadata,
    }
  }

  async function tokensOf(iss: string) {
    const iat = Math.floor(Date.now() / 1000)
    const claims = {
      iss,
      sub: 'anna',
      aud: 'hosting-control',
      iat,
      exp: iat + 60,
      nonce: state.nonce,
    }
    const { privateKey } = state.forgery.other_key ? other : own
    const head = { alg: 'ES256', kid: 'one', typ: 'JWT' }
    const text = `${part(head)}.${part({ ...claims, ...state.forgery.claims })}`
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
    const signature = await crypto.subtle.sign(algorithm, privateKey, Buffer.from(text))
    const id_token = `${text}.${Buffer.from(signature).toString('base64url')}`
    return { access_token: 'one', token_type: 'Bearer', expires_in: 60, id_token }
  }

  return Object.assign(state, {
    issuer: `http://127.0.0.1:${server.port}`,
    /** Answers the login that begins at this address, whoever it is. */
    authorize(url: string): string {
      const { searchParams } = new URL(url)
      state.nonce = searchParams.get('nonce') ?? ''
      return `?code=one&state=${searchParams.get('state')}`
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  })
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
