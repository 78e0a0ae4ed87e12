import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { publicKeyOf } from '#agent/kernel/host/public-keys.ts'

const TrustedKey = z.strictObject({
  kid: z.string(),
  public_key: z.string(),
  /** The end in seconds since 1970; null until it is replaced. */
  until: z.number().nullable(),
})

const Trusted = z.strictObject({
  server_id: z.number().int().positive(),
  /** The number of the list of keys, which grows with each change: an older list is refused. */
  epoch: z.number().int().nonnegative(),
  keys: z.array(TrustedKey).max(4),
})
/** The dashboard that this agent trusts, and its keys. */
export type Trusted = z.infer<typeof Trusted>

/**
 * The record `<state>/trust/hub.json`. It is read at every request, because the command line may
 * change it. It contains no secret: the half of the agent without privileges reads it too.
 */
export class TrustedDashboard {
  readonly #files: Files
  readonly #path: string

  constructor(files: Files, state_dir: string) {
    this.#files = files
    this.#path = `${state_dir}/trust/hub.json`
  }

  async read(): Promise<Trusted | undefined> {
    const text = await this.#files.read(this.#path)
    return text === undefined ? undefined : Trusted.parse(JSON.parse(text))
  }

  async write(trusted: Trusted): Promise<void> {
    await this.#files.write(this.#path, `${JSON.stringify(trusted)}\n`, { mode: 0o644 })
  }

  async remove(): Promise<void> {
    await this.#files.remove(this.#path)
  }
}

/** Returns the keys that are valid now, by their id. */
export function activeKeys(trusted: Trusted | undefined, now: number): Map<string, KeyObject> {
  const active = new Map<string, KeyObject>()
  for (const { kid, public_key, until } of trusted?.keys ?? []) {
    const key = publicKeyOf(public_key)
    if (key && (until === null || until > now)) active.set(kid, key)
  }
  return active
}
