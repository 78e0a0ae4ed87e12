import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'

/** The owner of a page of Adminer: its address has all of it, with a signature. */
export interface ToolPlace {
  server_id: number
  site_id: number
  user: string
}

const USER = /^hosting_tmp_([a-z0-9]{10})_(\d{10})$/
const PLACE = /^([1-9]\d{0,14})-([1-9]\d{0,14})-([a-z0-9]{10})-(\d{10})-([0-9a-f]{64})$/
const PASS = /^([\w-]{43})\.([\w-]{1,64})\.([0-9a-f]{64})$/

/**
 * Signs the addresses of Adminer and the cookies that open them. The password of the temporary user
 * follows from the cookie: only the browser has it, and no record of the dashboard.
 */
export class ToolPasses {
  readonly #key: Buffer
  readonly #clock: Clock

  constructor(secret: string, clock: Clock) {
    this.#key = createHmac('sha256', secret).update('database tool').digest()
    this.#clock = clock
  }

  /** Returns the last part of the address, which opens nothing without the cookie. */
  placeOf({ server_id, site_id, user }: ToolPlace): string {
    const [, token = '', ends = ''] = USER.exec(user) ?? []
    const plain = `${server_id}-${site_id}-${token}-${ends}`
    return `${plain}-${this.#mac('place', plain)}`
  }

  /** Returns the place in an address; undefined when it was not issued here, or has expired. */
  read(place: string): ToolPlace | undefined {
    const [, server_id, site_id, token, ends, mac = ''] = PLACE.exec(place) ?? []
    const plain = `${server_id}-${site_id}-${token}-${ends}`
    if (!isSame(mac, this.#mac('place', plain))) return undefined
    if (Number(ends) * 1000 <= this.#clock.now().getTime()) return undefined
    const user = `hosting_tmp_${token}_${ends}`
    return { server_id: Number(server_id), site_id: Number(site_id), user }
  }

  /** Returns the cookie for one place and one session of the dashboard. `key` has 256 bits. */
  passOf(place: string, key: string, jti: string): string {
    return `${key}.${jti}.${this.#mac('pass', place, key, jti)}`
  }

  /** Returns the password and the session id of a pass; undefined for another place. */
  open(place: string, value: string): { password: string; jti: string } | undefined {
    const [, key = '', jti = '', mac = ''] = PASS.exec(value) ?? []
    if (!isSame(mac, this.#mac('pass', place, key, jti))) return undefined
    return { password: passwordOf(key), jti }
  }

  #mac(...parts: string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('hex')
  }
}

export const passwordOf = (key: string): string =>
  createHash('sha256').update(`database tool ${key}`).digest('base64url')

function isSame(given: string, own: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(own)]
  return one.length === other.length && timingSafeEqual(one, other)
}
