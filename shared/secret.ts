import { z } from 'zod'

const HIDDEN = '***'

/** Text that no log line, error, event or body shows by mistake: only `reveal` gives it. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  reveal(): string {
    return this.#text
  }

  toString(): string {
    return HIDDEN
  }

  toJSON(): string {
    return HIDDEN
  }

  /** What console.log shows on Bun and Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN
  }

  /** The same on Deno. */
  [Symbol.for('Deno.customInspect')](): string {
    return HIDDEN
  }
}

/** Checks a text as the schema does, and hands it on as a Secret. */
export function secretOf<S extends z.ZodType<string>>(schema: S) {
  return schema.transform((text) => new Secret(text))
}

/** A password as an agent tells it. */
export const SecretText = secretOf(z.string().max(1024))
