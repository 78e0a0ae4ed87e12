import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { decodeChallenge, TOKEN_SECONDS } from '#shared/kernel/token.ts'
import { authorization, digestOf, nonce, type Signer, signer } from '#tests/support/trust/sign.ts'
import { NOBODY } from './children.ts'
import { type Answer, Client } from './client.ts'
import { type Running, startAgent, temporaryFolder } from './processes.ts'

export interface Asked {
  method?: string
  path: string
  body?: string
  headers?: Record<string, string>
  /** Claims that replace the valid ones. */
  claims?: object
  /** The signer, if it is not the trusted dashboard. */
  by?: Signer
}

/** The executable as it runs on a server: it trusts only the key of the test. */
export class SignedAgent {
  readonly hub: Signer
  readonly state: string
  running: Running
  audience = ''
  boot = ''

  private constructor(hub: Signer, state: string, running: Running) {
    this.hub = hub
    this.state = state
    this.running = running
  }

  /**
   * `prepare` may add files to the state folder, which the agent's user can change; `begin` starts
   * the agent in another way than as one process.
   */
  static async start(
    prepare?: (state: string) => Promise<void>,
    begin: (state: string) => Promise<Running> = begun,
  ): Promise<SignedAgent> {
    const hub = signer('h1')
    const state = await temporaryFolder('attacked')
    await mkdir(`${state}/trust`)
    const keys = [{ kid: hub.kid, public_key: rawKeyOf(hub.public_key), until: null }]
    const path = `${state}/trust/hub.json`
    await writeFile(path, JSON.stringify({ server_id: 7, epoch: 1, keys }))
    for (const each of [`${state}/trust`, path]) {
      if (process.getuid?.() === 0) await chown(each, NOBODY, NOBODY)
      await chmod(each, each === path ? 0o600 : 0o700)
    }
    await prepare?.(state)
    const agent = new SignedAgent(hub, state, await begin(state))
    await agent.learn()
    return agent
  }

  /** The same agent in a new process, on the same port. */
  async restart(): Promise<void> {
    await this.running.stop()
    this.running = await begun(this.state, `127.0.0.1:${this.running.port}`)
    await this.learn()
  }

  /** The Authorization header of a call, valid for this process now unless `claims` differ. */
  sign({ method = 'GET', path, body = '', headers = {}, ...more }: Asked): string {
    const { claims = {}, by = this.hub } = more
    const op = headers[OPERATION_HEADER]
    const iat = Math.floor(Date.now() / 1000)
    return authorization(by, {
      ...{ iss: by.kid, aud: this.audience, iat, exp: iat + TOKEN_SECONDS, jti: nonce() },
      ...{ htm: method, htu: path, bh: digestOf(body), boot: this.boot },
      ...(op === undefined ? {} : { op }),
      ...claims,
    })
  }

  /** Sends a call with a proof of its own. */
  ask(asked: Asked): Promise<Answer> {
    return this.send(asked, this.sign(asked))
  }

  send({ method = 'GET', path, body, headers = {} }: Asked, proof?: string): Promise<Answer> {
    const sent = { ...headers, ...(proof === undefined ? {} : { authorization: proof }) }
    const content = body === undefined ? {} : { body }
    return new Client(this.running.url).send({ method, path, headers: sent, ...content })
  }

  /** The audience of tokens, as the dashboard receives it. */
  async learn(): Promise<void> {
    const text = await readFile(`${this.state}/trust/identity.json`, 'utf8')
    this.audience = digestOf(String(JSON.parse(text).public_key))
    this.boot = nonce()
    const { headers } = await this.ask({ path: '/metrics' })
    this.boot = decodeChallenge(headers.get('www-authenticate') ?? '')?.boot ?? ''
  }
}

function begun(state: string, address = '127.0.0.1:0'): Promise<Running> {
  const env = { AGENT_AUTH: 'signed', AGENT_STATE_DIR: state, AGENT_LISTEN: address }
  return startAgent('the executable', env)
}
