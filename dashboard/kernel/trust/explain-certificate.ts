import { X509Certificate } from 'node:crypto'
import { connect } from 'node:tls'
import { NotConnected } from '#dashboard/kernel/agents/agent-errors.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { offline } from '#shared/kernel/errors.ts'
import { type AddressRules, checkedLookup } from './addresses.ts'
import { listPinned } from './queries.ts'

const TIMEOUT_MS = 5000
/** The OpenSSL error codes for a certificate that is not the pinned one. */
const OTHER_CERTIFICATE = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_SIGNATURE_FAILURE/

/** The error when the agent of another server of the records has answered. */
class ForeignAgent extends NotConnected {
  readonly server_id: number

  constructor(cause: unknown, server_id: number) {
    super(cause)
    this.server_id = server_id
  }
}

/** Returns the server whose agent has answered instead of the one that was called. */
export function answeredBy(error: unknown): number | null {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof ForeignAgent ? cause.server_id : null
}

/** Explains an agent with another certificate: that of another server, or an unknown one. */
export async function explainCertificate(
  db: Database,
  to: AgentAddress,
  error: NotConnected,
  rules: AddressRules,
): Promise<Error> {
  if (!OTHER_CERTIFICATE.test(codeOf(error))) return error
  const presented = await presentedBy(to, rules).catch(() => undefined)
  const owner = presented && (await findOwner(db, presented))
  const where = `The agent on ${to.hostname}:${to.port}`
  if (owner && owner.server_id !== to.id) {
    return offline(
      `${where} is that of the server ${owner.name}: correct the address of this server, or give a copy of that machine an identity of its own`,
      new ForeignAgent(error, owner.server_id),
    )
  }
  return offline(
    `${where} has another certificate than the one that was enrolled: enrol the server again if its machine was reinstalled; otherwise somebody intercepts the connection`,
    error,
  )
}

/** Returns the certificate (DER) at an address. Nothing is sent there. */
function presentedBy({ hostname: host, port }: AgentAddress, rules: AddressRules): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      minVersion: 'TLSv1.3',
      rejectUnauthorized: false,
      lookup: checkedLookup(rules),
    })
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('too slow')))
    socket.on('error', reject)
    socket.on('secureConnect', () => {
      resolve(socket.getPeerCertificate(true).raw)
      socket.destroy()
    })
  })
}

export async function findOwner(db: Database, certificate: Buffer) {
  const known = await listPinned(db)
  return known.find((one) => rawOf(one.certificate)?.equals(certificate))
}

/** Returns undefined for a row that somebody has changed in the database. */
function rawOf(certificate: string): Buffer | undefined {
  try {
    return new X509Certificate(certificate).raw
  } catch {
    return undefined
  }
}
