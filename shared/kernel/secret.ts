import { z } from 'zod'

/** The text in place of a secret in everything that is recorded, also in a request. */
export const HIDDEN = '***'

/** A text that no log line, error, event or body shows by mistake: only `reveal` returns it. */
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

  /** The output of console.log on Bun and Node. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN
  }

  /** The output of console.log on Deno. */
  [Symbol.for('Deno.customInspect')](): string {
    return HIDDEN
  }
}

/** Checks a text with the schema, and wraps it as a Secret. */
export function secretOf<S extends z.ZodType<string>>(schema: S) {
  return schema.transform((text) => new Secret(text))
}

/** A password in an answer of an agent. */
export const SecretText = secretOf(z.string().max(1024))
