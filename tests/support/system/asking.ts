import { randomBytes } from 'node:crypto'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { readEvents, type StoredEvent } from '#shared/kernel/sse.ts'
import { TOKEN_SECONDS } from '#shared/kernel/token.ts'
import type { Host } from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { authorization, digestOf, nonce, type Signer, signer } from '#tests/support/trust/sign.ts'

const STATE = '/var/lib/hosting-agent'

/** Calls the agent of a host without a dashboard: plainly, or with a proof for each call. */
export class Asking {
  readonly #host: Host
  readonly #hub: Signer | undefined

  private constructor(host: Host, hub?: Signer) {
    this.#host = host
    this.#hub = hub
  }

  static plainly(host: Host): Asking {
    return new Asking(host)
  }

  /** Makes the agent, not yet installed, accept a key of this process. */
  static async signed(host: Host): Promise<Asking> {
    const hub = signer('h1')
    const keys = [{ kid: hub.kid, public_key: rawKeyOf(hub.public_key), until: null }]
    const text = JSON.stringify({ server_id: 7, epoch: 1, keys })
    await host.must(['mkdir', '-p', '-m', '711', STATE, `${STATE}/trust`])
    await host.put(`${STATE}/trust/hub.json`, text, 0o600)
    return new Asking(host, hub)
  }

  /** Starts an operation and returns its id; `ended` resolves at its end. */
  start(
    command: string,
    params: object,
    path = '/exec',
  ): { id: string; ended: Promise<StoredEvent[]> } {
    const id = randomBytes(8).toString('hex')
    const answer = this.call(path, { command, params }, id)
    const read = async (text: string) => Array.fromAsync(readEvents(new Blob([text]).stream()))
    const ended = answer.then(async (text) => {
      const events = await read(text)
      if (events.length === 0) throw new Error(`${command}: ${text}`)
      return events
    })
    ended.catch(() => undefined)
    return { id, ended }
  }

  /** The response body of a POST. */
  async call(path: string, body: object, operation?: string): Promise<string> {
    const text = JSON.stringify(body)
    const named = operation === undefined ? [] : ['--header', `${OPERATION_HEADER}: ${operation}`]
    const proof = this.#hub
      ? ['--header', `authorization: ${await this.#sign(path, text, operation)}`]
      : []
    const scheme = this.#hub ? 'https' : 'http'
    return must(
      [
        ...[
          'ip',
          'netns',
          'exec',
          this.#host.netns,
          'curl',
          '--silent',
          '--insecure',
          '--no-buffer',
        ],
        ...['--header', 'content-type: application/json', ...named, ...proof, '--data', text],
        `${scheme}://127.0.0.1:8443${path}`,
      ],
      { timeout_ms: 10 * 60_000 },
    )
  }

  async #sign(path: string, body: string, operation: string | undefined): Promise<string> {
    if (!this.#hub) return ''
    const notice = JSON.parse(await this.#host.must(['cat', '/run/hosting-agent/notice.json']))
    const iat = Math.floor(Date.now() / 1000)
    return authorization(this.#hub, {
      ...{ iss: this.#hub.kid, aud: notice.audience, iat, exp: iat + TOKEN_SECONDS, jti: nonce() },
      ...{ htm: 'POST', htu: path, bh: digestOf(body), boot: notice.boot },
      ...(operation === undefined ? {} : { op: operation }),
    })
  }
}
