import { z } from 'zod'

export const AcmeRequest = z.object({
  /** Address of the directory (RFC 8555 section 7.1.1). */
  directory: z.string(),
  /** PEM roots that the directory's own certificate may have besides the system's. */
  extra_roots: z.string().optional(),
  /** The keys of the account and of the certificate, as PEM of PKCS 8. */
  account_key: z.string(),
  private_key: z.string(),
  email: z.string(),
  names: z.array(z.string()).readonly(),
  timeout_ms: z.number(),
  /** The certificate, as PEM, that this one follows: authorities count a renewal on time less. */
  replaces: z.string().optional(),
})

export interface AcmeOrder extends z.infer<typeof AcmeRequest> {
  /** Serves `text` at /.well-known/acme-challenge/<token> of every name. */
  present(token: string, text: string): Promise<void>
  /**
   * Publishes a TXT record, by which the authority validates a wildcard (dns-01), and returns when
   * name servers answer with it. Returns why it failed; undefined if it did not.
   */
  publish(name: string, value: string): Promise<string | undefined>
  /** The id of its operation: see Programs in ports.ts. */
  operation?: string
}

/** A limit of the authority (RFC 8555 section 6.6). `retry_after_s` is 0 if it names no time. */
export const AcmeLimit = z.object({ reason: z.string(), retry_after_s: z.number().min(0) })
export type AcmeLimit = z.infer<typeof AcmeLimit>

/**
 * `chain` is PEM, leaf certificate first; `refused` has the reason for each refused name; `limited`
 * means that the authority accepts no request for now; `unreachable` is the reason why its
 * directory could not be read, so that nothing was ordered.
 */
export const AcmeOutcome = z.union([
  z.object({ chain: z.string() }),
  z.object({ refused: z.array(z.object({ name: z.string(), reason: z.string() })).readonly() }),
  z.object({ limited: AcmeLimit }),
  z.object({ unreachable: z.string() }),
])
export type AcmeOutcome = z.infer<typeof AcmeOutcome>

export const RenewalRequest = AcmeRequest.pick({ directory: true, extra_roots: true }).extend({
  /** The certificates, each as PEM. */
  certificates: z.array(z.string()).max(1000).readonly(),
})
export type RenewalRequest = z.infer<typeof RenewalRequest>

/** A TXT record at Cloudflare, by which an authority validates a wildcard. */
export const DnsRecord = z.object({
  /** Base address of the API, without a slash at its end. */
  api: z.string(),
  token: z.string(),
  action: z.enum(['present', 'cleanup']),
  name: z.string(),
  value: z.string(),
})
export type DnsRecord = z.infer<typeof DnsRecord>

/** When the authority wants a certificate to be renewed (RFC 9773), and of the next query. */
export const RenewalWindow = z.object({
  start: z.iso.datetime(),
  end: z.iso.datetime(),
  retry_after_s: z.number(),
})
export type RenewalWindow = z.infer<typeof RenewalWindow>

/** The windows in the order of the certificates; null without an answer. */
export const RenewalWindows = z.array(RenewalWindow.nullable())

/** An ACME authority. Throws a readable Error for failures that do not concern one name. */
export interface AcmePort {
  order(order: AcmeOrder): Promise<AcmeOutcome>
  /** Returns the suggested times of renewals; undefined when the authority suggests none. */
  renewals(request: RenewalRequest): Promise<(RenewalWindow | null)[] | undefined>
  /** Sets or removes a record. Returns why nothing changed; throws if that is not certain. */
  record(record: DnsRecord): Promise<string | undefined>
}
