import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'

export const DEVICE_SECONDS = 365 * 24 * 3600

type Deps = Pick<CommonDeps, 'clock' | 'random'>

/**
 * Signs the cookie that a browser keeps after a successful login: `<id>.<expires>.<mac>`. It grants
 * no access; it only distinguishes the owner of an account from attackers who guess its password.
 */
export class Devices {
  readonly #key: Buffer
  readonly #deps: Deps

  constructor(secret: string, deps: Deps) {
    this.#key = createHmac('sha256', secret).update('device cookie').digest()
    this.#deps = deps
  }

  /** Returns the value for a browser that has just logged in, with its `id` if it has one. */
  issue(account: string, id: string = randomText(this.#deps.random, 16)): string {
    const expires = Math.floor(this.#deps.clock.now().getTime() / 1000) + DEVICE_SECONDS
    return `${id}.${expires}.${this.#mac(account, id, expires).toString('base64url')}`
  }

  /** Returns the id in a value that was issued for this account; undefined for any other value. */
  idOf(value: string | undefined, account: string): string | undefined {
    const [, id = '', expires = '', mac = ''] =
      /^([\w-]{16,64})\.(\d{1,12})\.([\w-]{43})$/.exec(value ?? '') ?? []
    if (Number(expires) * 1000 <= this.#deps.clock.now().getTime()) return undefined
    const own = this.#mac(account, id, Number(expires))
    const given = Buffer.from(mac, 'base64url')
    return given.length === own.length && timingSafeEqual(given, own) ? id : undefined
  }

  #mac(account: string, id: string, expires: number): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([account, id, expires]))
      .digest()
  }
}
