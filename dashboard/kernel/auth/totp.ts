import { createHmac, timingSafeEqual } from 'node:crypto'

/** What every authenticator app has as its default (RFC 6238; the Key URI format of otpauth). */
const STEP_SECONDS = 30
const DIGITS = 6
/** The steps before and after the current one whose code counts: clocks differ. */
const WINDOW = [-1, 0, 1]

export const SECRET_BYTES = 20

const ISSUER = 'Hosting Control'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1000 / STEP_SECONDS)

/** Returns the code of a time step (RFC 4226, section 5.3). */
export function codeOf(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/**
 * Returns the time step after `last_step` that has this code; undefined for a wrong code, or one of
 * an older step. It compares all codes of the window in constant time.
 */
export function stepWith(
  code: string,
  { secret, last_step, now }: { secret: Uint8Array; last_step: number; now: Date },
): number | undefined {
  const given = Buffer.from(code)
  const steps = WINDOW.map((offset) => stepAt(now) + offset).filter((step) => {
    const own = Buffer.from(codeOf(secret, step))
    return given.length === own.length && timingSafeEqual(given, own)
  })
  return steps.find((step) => step > last_step)
}

/** Writes bytes in base32 without padding (RFC 4648). */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}

/** Reads what `toBase32` has written. */
export function fromBase32(text: string): Uint8Array {
  const bits = [...text].map((each) => BASE32.indexOf(each).toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
}

/** Returns the address that an authenticator app reads from the QR code. */
export function otpauthUri(secret: string, account: string): string {
  const label = [ISSUER, account].map(encodeURIComponent).join(':')
  const rest = { issuer: ISSUER, algorithm: 'SHA1', digits: DIGITS, period: STEP_SECONDS }
  const fields = Object.entries({ secret, ...rest })
  const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  return `otpauth://totp/${label}?${query}`
}
