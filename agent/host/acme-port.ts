/** An order of an ACME authority. */
export interface AcmeOrder {
  /** Address of the directory (RFC 8555 section 7.1.1). */
  directory: string
  /** PEM roots that the directory's own certificate may have besides the system's. */
  extra_roots: string | undefined
  /** PEM, PKCS 8: of the account, and of the certificate. */
  account_key: string
  private_key: string
  /** Contact of the account. */
  email: string
  names: readonly string[]
  /** Serves `text` at /.well-known/acme-challenge/<token> of every name. */
  present(token: string, text: string): Promise<void>
  timeout_ms: number
  /** The id of its operation: see Programs in ports.ts. */
  operation?: string
}

/**
 * `chain` is PEM, leaf certificate first; `refused` has the reason for each name that was not validated.
 */
export type AcmeOutcome =
  | { chain: string }
  | { refused: readonly { name: string; reason: string }[] }

/**
 * An ACME authority. Throws a readable Error with its message for failures that do not concern one name.
 */
export interface AcmePort {
  order(order: AcmeOrder): Promise<AcmeOutcome>
}
