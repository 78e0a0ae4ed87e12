import type {
  AcmeOrder,
  AcmeOutcome,
  AcmePort,
  DnsRecord,
  RenewalRequest,
  RenewalWindow,
} from '#agent/host/acme-port.ts'

/** The answers of an authority, and its requests. */
export class FakeAuthority implements AcmePort {
  readonly orders: AcmeOrder[] = []
  outcome: AcmeOutcome = { refused: [] }
  /** What it suggests for every certificate. */
  renewal: RenewalWindow | undefined
  /** How many certificates each question about renewals named. */
  readonly asked: number[] = []

  readonly records: DnsRecord[] = []
  /** Why Cloudflare refuses a record, and why its answer is lost. */
  recordFailure: string | undefined
  recordLoss: string | undefined

  record: AcmePort['record'] = async (record) => {
    this.records.push(record)
    if (this.recordLoss !== undefined) throw new Error(this.recordLoss)
    return this.recordFailure
  }

  order: AcmePort['order'] = async (order) => {
    this.orders.push(order)
    return this.outcome
  }

  renewals: AcmePort['renewals'] = async ({ certificates }: RenewalRequest) => {
    this.asked.push(certificates.length)
    const { renewal } = this
    return renewal && certificates.map(() => renewal)
  }
}
