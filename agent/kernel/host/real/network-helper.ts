import process from 'node:process'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { acme } from '#agent/kernel/host/acme.ts'
import {
  AcmeOutcome,
  AcmeRequest,
  DnsRecord,
  RenewalRequest,
} from '#agent/kernel/host/acme-port.ts'
import { VisitRequest } from '#agent/kernel/host/visit-port.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { bytesOf, net } from './net.ts'
import { visitor } from './visitor.ts'

const NetworkCall = z.discriminatedUnion('call', [
  z.object({ call: z.literal('fetch'), url: z.string(), timeout_ms: z.number() }),
  z.object({
    call: z.literal('probe'),
    host: z.string(),
    address: z.string().optional(),
    path: z.string(),
    tls: z.boolean(),
  }),
  z.object({
    call: z.literal('resolve'),
    names: z.array(z.string()).max(1000),
    fresh: z.boolean(),
  }),
  z.object({ call: z.literal('visit'), visits: z.array(VisitRequest).max(1000) }),
  AcmeRequest.extend({ call: z.literal('order') }),
  RenewalRequest.extend({ call: z.literal('renewals') }),
  DnsRecord.extend({ call: z.literal('record') }),
])
export type NetworkCall = z.input<typeof NetworkCall>

export const ResolvedList = z.array(z.array(z.string()).nullable())

/** A line with the reason why nothing changed; null if something did. */
export const RecordLine = z.string().nullable()

/**
 * The progress of an order, one line each. Every `present` and `publish` waits for a line in
 * return, which is empty or has, as JSON, the reason of the failure.
 */
export const OrderLine = z.union([
  z.object({ present: z.object({ token: z.string(), text: z.string() }) }),
  z.object({ publish: z.object({ name: z.string(), value: z.string() }) }),
  AcmeOutcome,
])

/**
 * `hosting-agent reach`: executes the network call on standard input for the half of the agent
 * without a network. Ends with status 1 and the reason on stderr.
 */
export async function reach(): Promise<never> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  try {
    const { value } = await lines.next()
    await perform(NetworkCall.parse(JSON.parse(String(value))), lines)
  } catch (error) {
    console.error(messageOf(error))
    process.exit(1)
  }
  process.exit(0)
}

async function perform(call: NetworkCall, lines: AsyncIterator<string>): Promise<void> {
  if (call.call === 'fetch') {
    for await (const chunk of bytesOf(call.url, call.timeout_ms)) await print(chunk)
  } else if (call.call === 'probe') {
    const { address = '127.0.0.1', ...probe } = call
    await print(JSON.stringify(await net.probe({ ...probe, address })))
  } else if (call.call === 'resolve')
    await print(JSON.stringify(await net.resolve(call.names, call)))
  else if (call.call === 'visit') await print(JSON.stringify(await visitor.visit(call.visits)))
  else if (call.call === 'renewals')
    await print(JSON.stringify((await acme.renewals(call)) ?? null))
  else if (call.call === 'record') await print(JSON.stringify((await acme.record(call)) ?? null))
  else await order(call, lines)
}

async function order(
  request: z.infer<typeof AcmeRequest>,
  lines: AsyncIterator<string>,
): Promise<void> {
  let turn = Promise.resolve('')
  const ask = (line: object): Promise<string> => {
    turn = turn
      .then(() => print(`${JSON.stringify(line)}\n`))
      .then(async () => String((await lines.next()).value ?? ''))
    return turn
  }
  const present = (token: string, text: string) =>
    ask({ present: { token, text } }).then(() => undefined)
  const publish = async (name: string, value: string) => {
    const failure = await ask({ publish: { name, value } })
    return failure === '' ? undefined : z.string().parse(JSON.parse(failure))
  }
  const outcome = await acme.order({ ...request, present, publish })
  await print(`${JSON.stringify(outcome)}\n`)
}

/** Resolves when the data is written: an exit would lose it. */
function print(data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(data, (error) => (error ? reject(error) : resolve()))
  })
}
